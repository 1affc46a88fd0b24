/** An image of a run's value, as an address that the page can show. */

import { useEffect, useState } from "react";
import { loadImage } from "./runs";

/** Null until it is loaded, and if it cannot be. */
export function useImage(run: string, step: string | null, at: string): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    let shown: string | null = null;
    let isGone = false;
    loadImage(run, step, at)
      .then((image) => {
        if (!isGone) setUrl((shown = URL.createObjectURL(image)));
      })
      .catch(() => setUrl(null));
    return () => {
      isGone = true;
      if (shown) URL.revokeObjectURL(shown);
    };
  }, [run, step, at]);
  return url;
}
