/** Nodes that are shown but never run: groups and notes. */

import type { NodeProps } from "@xyflow/react";
import { NodeResizer } from "@xyflow/react";
import { memo } from "react";
import type { NodeView } from "../../model/layout/canvasMapping";
import { resizeNode } from "../../model/workflow/edits";
import { parseMarkdown } from "../../model/text/markdown";
import { useEditor } from "../../state/editorContext";
import { MarkdownBlocks } from "../../ui/MarkdownBlocks";

export const GroupNode = memo(function GroupNode({ id, data, selected }: NodeProps & { data: NodeView }) {
  const editor = useEditor();
  return (
    <div className={selected ? "frame is-selected" : "frame"}>
      <NodeResizer
        isVisible={selected}
        minWidth={160}
        minHeight={100}
        onResizeEnd={(_, { width, height }) =>
          editor.document.edit((workflow) => resizeNode(workflow, id, width, height))
        }
      />
      <div className="frame__title">{data.title}</div>
    </div>
  );
});

export const NoteNode = memo(function NoteNode({ data, selected }: NodeProps & { data: NodeView }) {
  return (
    <div className={selected ? "remark is-selected" : "remark"}>
      <div className="remark__title">{data.title}</div>
      <div className="remark__text markdown">
        <MarkdownBlocks blocks={parseMarkdown(data.note)} />
      </div>
    </div>
  );
});
