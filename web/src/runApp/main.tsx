/** The app of a published workflow, inside the frame of an MCP host. */

import { createRoot } from "react-dom/client";
import { HostBridge } from "./hostBridge";
import { RunApp } from "./RunApp";
import "../ui/tokens.css";
import "../ui/controls.css";
import "../ui/contrast.css";
import "./runApp.css";

const facts = JSON.parse(document.getElementById("app-facts")!.textContent!) as { tool: string };
if (matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.dataset["theme"] = "dark";
createRoot(document.getElementById("root")!).render(
  <RunApp tool={facts.tool} bridge={new HostBridge(window.parent)} />,
);
