/** The arrowheads of connections, one for each state: an arrowhead cannot take the colour of its line. */

import { EDGE_STATES } from "./ConnectionEdge";

export function EdgeArrows() {
  return (
    <svg className="canvas__arrows" aria-hidden="true">
      <defs>
        {EDGE_STATES.map((state) => (
          <marker
            key={state}
            id={`arrow-${state}`}
            className={`arrow arrow--${state}`}
            viewBox="0 0 10 10"
            refX="9"
            refY="5"
            markerWidth="11"
            markerHeight="11"
            markerUnits="userSpaceOnUse"
            orient="auto-start-reverse"
          >
            <path d="M1 1l8 4-8 4z" />
          </marker>
        ))}
      </defs>
    </svg>
  );
}
