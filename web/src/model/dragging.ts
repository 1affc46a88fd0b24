/** What is dragged from a palette onto the canvas: an entry's name. */
export const DRAGGED_ENTRY = "application/x-toolweave-node";
