import { createRoot } from "react-dom/client";
import { takeTokenFromAddress } from "./api/token";
import { applyTheme } from "./state/theme";
import { App } from "./shell/App";
import "./ui/tokens.css";
import "./ui/families.css";
import "./ui/controls.css";
import "./ui/contrast.css";

takeTokenFromAddress();
applyTheme();
createRoot(document.getElementById("root")!).render(<App />);
