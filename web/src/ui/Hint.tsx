interface Props {
  parts: readonly { text: string; href?: string }[];
}

/** What to do about an error, with links to the pages where it is done. */
export function Hint({ parts }: Props) {
  return (
    <bdi>
      {parts.map(({ text, href }, at) =>
        href ? (
          <a key={at} href={href}>
            {text}
          </a>
        ) : (
          text
        ),
      )}
    </bdi>
  );
}
