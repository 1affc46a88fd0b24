/** All triggers of all workflows. */

import { Triggers } from "./Triggers";
import "./manage.css";

export default function TriggersPage() {
  return (
    <div className="page">
      <div className="page__inner">
        <div className="page__head">
          <h1>Triggers</h1>
        </div>
        <Triggers />
      </div>
    </div>
  );
}
