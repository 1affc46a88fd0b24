/** Line icons on a 20-unit grid. They are decorative: the control has the accessible name. */

const PATHS = {
  play: "M6.5 4.5v11l9-5.5z",
  stop: "M6 6h8v8H6z",
  plus: "M10 4v12M4 10h12",
  minus: "M4 10h12",
  left: "M12 5l-5 5 5 5",
  right: "M8 5l5 5-5 5",
  expand: "M11.5 4H16v4.5M16 4l-5 5M8.500 16H4v-4.500M4 16l5-5",
  close: "M5 5l10 10M15 5L5 15",
  undo: "M7 5L3.5 8.5 7 12M4 8.5h7.5a4 4 0 0 1 0 8H8",
  redo: "M13 5l3.5 3.5L13 12M16 8.5H8.5a4 4 0 0 0 0 8H12",
  tidy: "M3 5h5v4H3zM12 3h5v4h-5zM12 13h5v4h-5zM8 7h2v8h2M10 5h2",
  search: "M9 4a5 5 0 1 1 0 10A5 5 0 0 1 9 4zM13 13l4 4",
  save: "M4 4h9l3 3v9H4zM7 4v4h5V4M7 16v-4h6v4",
  braces: "M8 3.5C5.5 3.5 6.5 8 4 10c2.5 2 1.5 6.5 4 6.5M12 3.5c2.5 0 1.5 4.5 4 6.5-2.5 2-1.5 6.5-4 6.5",
  more: "M4.5 10h.01M10 10h.01M15.5 10h.01",
  plug: "M7 3v4M13 3v4M5 7h10v2a5 5 0 0 1-10 0zM10 14v3",
  bolt: "M11 2.5L4.5 11H9l-.500 6.5L15.5 9H11z",
  branch: "M6 4v12M6 10h4a4 4 0 0 0 4-4V4M14 4l-2 2M14 4l2 2",
  cog:
    "M10 7a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM10 2.5v2M10 15.5v2M2.5 10h2M15.5 10h2M4.700 4.700l1.400 1.400" +
    "M13.900 13.900l1.400 1.400M15.300 4.700l-1.400 1.400M6.100 13.900l-1.400 1.400",
  spark: "M10 3l1.700 5.300L17 10l-5.300 1.700L10 17l-1.700-5.300L3 10l5.300-1.700z",
  globe: "M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM3 10h14M10 3c2.5 2 2.5 12 0 14M10 3c-2.5 2-2.5 12 0 14",
  person: "M10 3.5a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM4 17c.5-3.5 3-5 6-5s5.5 1.5 6 5",
  memory:
    "M4 6c0-1.700 2.700-3 6-3s6 1.300 6 3-2.700 3-6 3-6-1.300-6-3z" +
    "M4 6v8c0 1.700 2.700 3 6 3s6-1.300 6-3V6M4 10c0 1.700 2.700 3 6 3s6-1.300 6-3",
  text: "M4 5h12M4 10h12M4 15h7",
  flag: "M5 17V3.5h10l-2.5 3.5L15 10.5H5",
  note: "M4 4h12v8l-4 4H4zM12 16v-4h4",
  clock: "M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM10 6v4l3 2",
  list: "M7 5h10M7 10h10M7 15h10M3 5h.01M3 10h.01M3 15h.01",
  inbox: "M3 11l2.5-7h9L17 11v5H3zM3 11h4l1 2h4l1-2h4",
  server: "M3.5 4h13v5h-13zM3.5 11h13v5h-13zM6.5 6.5h.01M6.5 13.5h.01",
  key: "M13 3a4 4 0 1 1-3.5 6L4 14.5V17h2.5v-2h2v-2l2-2",
  sun:
    "M10 6.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM10 2v2M10 16v2M2 10h2M16 10h2M4.300 4.300l1.400 1.400" +
    "M14.300 14.300l1.400 1.400M15.700 4.300l-1.400 1.400M5.700 14.300l-1.400 1.400",
  moon: "M16 12A6.5 6.5 0 0 1 8 4a6.5 6.5 0 1 0 8 8z",
  check: "M4 10.5l4 4 8-9",
  alert: "M10 3l7.5 13.5h-15zM10 8v4M10 14.5h.01",
  fit: "M4 8V4h4M12 4h4v4M16 12v4h-4M8 16H4v-4",
  help: "M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM8 8a2 2 0 1 1 2.700 1.900c-.5.200-.7.600-.7 1.100v.5M10 14h.01",
  trash: "M4 6h12M8 6V4h4v2M6 6l.7 10h6.600L14 6",
  copy: "M7 7h9v9H7zM4 13V4h9",
  upload: "M10 13V4M6.5 7.5L10 4l3.5 3.5M4 13v3h12v-3",
  download: "M10 4v9M6.5 9.5L10 13l3.5-3.5M4 13v3h12v-3",
  panel: "M3 4h14v12H3zM12.5 4v12",
  palette: "M3 4h14v12H3zM7.5 4v12",
  again: "M16 10a6 6 0 1 1-2-4.5M16 3v3.5h-3.5",
  compare: "M4 4h5v12H4zM11 4h5v12h-5z",
  book: "M4 4.5A1.5 1.5 0 0 1 5.5 3H16v12H5.5A1.5 1.5 0 0 0 4 16.5zM4 16.5A1.5 1.5 0 0 0 5.5 17H16",
  share:
    "M14 3a2 2 0 1 1 0 4 2 2 0 0 1 0-4zM6 8a2 2 0 1 1 0 4 2 2 0 0 1 0-4z" +
    "M14 13a2 2 0 1 1 0 4 2 2 0 0 1 0-4zM7.700 9l4.600-3M7.700 11l4.600 3",
  chat: "M4 4h12v9H9l-3.5 3v-3H4z",
  filter: "M3 4h14l-5.5 6.5V16l-3 1.5v-7z",
  sort: "M6 4v12M3 13l3 3 3-3M14 16V4M11 7l3-3 3 3",
  merge: "M4 4c0 4.5 2.5 6 6 6h6M4 16c0-4.500 2.500-6 6-6M13 7l3 3-3 3",
  split: "M16 4c-5.500 0-6 6-6 6H4M16 16c-5.500 0-6-6-6-6M13.500 2L16 4l-2.500 2M13.500 14l2.500 2-2.500 2",
  terminal: "M3 4h14v12H3zM6 8l2.500 2L6 12M10.500 12.500H14",
  file: "M5 2.500h6.500L15 6v11.500H5zM11.500 2.500V6H15",
  mail: "M3 5h14v10H3zM3 5.500l7 5.500 7-5.500",
  link:
    "M8 12l4-4M8.500 7.500l2-2a3 3 0 0 1 4.200 4.200l-2 2" + "M11.500 12.500l-2 2a3 3 0 0 1-4.200-4.200l2-2",
  hash: "M7.500 3L6 17M14 3l-1.500 14M3.500 7.500h13M3 12.500h13",
  calendar: "M4 5h12v12H4zM4 9h12M7 3v4M13 3v4",
  pencil: "M4 16l.7-3.500L13 4.200l2.800 2.800-8.300 8.300zM11.500 5.700l2.800 2.800",
  tag: "M3 10V3.500h6.500L17 11l-6.500 6.500zM6.500 7h.01",
  nested: "M3 3h14v14H3zM7 7h6v6H7z",
  template: "M3 3h14v5H3zM3 11h6v6H3zM12 11h5v6h-5z",
  cards: "M3 3h6v6H3zM11 3h6v6h-6zM3 11h6v6H3zM11 11h6v6h-6z",
  star: "M10 2.800l2.200 4.600 5 .7-3.600 3.500.9 5L10 14.200l-4.500 2.400.9-5L2.800 8.100l5-.7z",
  pin: "M7.500 3h5M8.500 3v5L6 11v1.500h8V11l-2.500-3V3M10 12.500V17",
  history: "M3.5 10a6.500 6.500 0 1 1 2 4.700M3.500 6v4h4M10 6.500V10l2.500 1.500",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" viewBox="0 0 20 20" width={size} height={size} aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill={name === "play" || name === "stop" ? "currentColor" : "none"}
        stroke="currentColor"
        strokeWidth={name === "more" ? 2.6 : 1.6}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
