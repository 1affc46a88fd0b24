import { useStore } from "zustand";
import { favoriteStore, toggleFavorite } from "../../state/favorites";
import { IconButton } from "../../ui/Button";

/** Stars a workflow; those with a star come first. */
export function FavoriteButton({ name }: { name: string }) {
  const isFavorite = useStore(favoriteStore, (state) => state.workflows.includes(name));
  return (
    <IconButton
      className="star"
      label={`Favorite: ${name}`}
      title={isFavorite ? "Remove from favorites" : "Add to favorites"}
      icon="star"
      aria-pressed={isFavorite}
      onClick={() => toggleFavorite("workflows", name)}
    />
  );
}
