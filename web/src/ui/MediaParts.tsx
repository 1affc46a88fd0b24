/** Pictures to see, sounds to play, files to save and links to follow; their data is loaded once shown. */

import { useEffect, useState } from "react";
import { Button } from "./Button";
import { Untrusted } from "./Untrusted";

interface Part {
  at: string;
  kind: "image" | "audio" | "file" | "link";
  label: { text: string; warnings: string[] };
  about: string;
  address: string;
  /** Null for an address that a browser does not open. */
  href: string | null;
  ending: string;
}

interface PartProps {
  part: Part;
  /** What the parts belong to. */
  name: string;
  load(at: string): Promise<Blob>;
}

export function MediaParts({ parts, ...more }: Omit<PartProps, "part"> & { parts: readonly Part[] }) {
  return parts.map((part) => {
    if (part.kind === "link") return <MediaLink key={part.at} part={part} />;
    const Shown = part.kind === "file" ? MediaFile : ShownMedia;
    return <Shown key={part.at} part={part} {...more} />;
  });
}

function ShownMedia({ part: { at, kind, about }, name, load }: PartProps) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    let shown: string | null = null;
    let isGone = false;
    load(at)
      .then((media) => {
        if (!isGone) setUrl((shown = URL.createObjectURL(media)));
      })
      .catch(() => setUrl(null));
    return () => {
      isGone = true;
      if (shown) URL.revokeObjectURL(shown);
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `load` is new with each drawing
  }, [at, about, name]);
  if (!url) return null;
  if (kind === "image") return <img className="value__picture" src={url} alt={`Image of ${name}`} />;
  return <audio className="value__sound" controls src={url} aria-label={`Sound of ${name}`} />;
}

function MediaFile({ part, name, load }: PartProps) {
  const [hasFailed, setHasFailed] = useState(false);
  const save = async () => {
    try {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await load(part.at));
      link.download = `${name}.${part.ending}`;
      link.click();
      URL.revokeObjectURL(link.href);
    } catch {
      setHasFailed(true);
    }
  };
  return (
    <p className="row">
      <Untrusted {...part.label} />
      <span className="faint">{part.about}</span>
      <Button look="quiet" icon="download" onClick={() => void save()}>
        Download
      </Button>
      {hasFailed && <span role="alert">The file cannot be loaded.</span>}
    </p>
  );
}

function MediaLink({ part: { label, address, href } }: { part: Part }) {
  return (
    <p className="row">
      {label.text && <Untrusted {...label} />}
      {href ? (
        <a href={href} target="_blank" rel="noopener noreferrer">
          {address}
        </a>
      ) : (
        <span className="mono">{address}</span>
      )}
    </p>
  );
}
