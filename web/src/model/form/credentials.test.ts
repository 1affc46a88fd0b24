import { expect, test } from "vitest";
import {
  credentialIn,
  credentialReference,
  nameFault,
  serviceOfField,
  serviceOfNode,
  unusedName,
} from "./credentials";

test("a reference names a credential, anything else does not", () => {
  expect(credentialIn(credentialReference("slack-ops"))).toBe("slack-ops");
  expect([credentialIn("xoxb-1"), credentialIn(undefined), credentialIn("a ${vault:x} b")]).toEqual([
    null,
    null,
    null,
  ]);
});

test("a node belongs to the service that its type names", () => {
  const kinds = ["slack", "github", "google_calendar", "telegram"];
  const refs = ["EXTERNAL_ACTION.GITHUB", "TRIGGER.SLACK", "EXTERNAL_ACTION.GOOGLE_CALENDAR"];
  expect(refs.map((ref) => serviceOfNode(ref, kinds))).toEqual(["github", "slack", "google_calendar"]);
  expect(serviceOfNode("EXTERNAL_ACTION.TELEGRAM_ACTION", kinds)).toBe("telegram");
  expect(serviceOfNode("TRIGGER.WEBHOOK", kinds)).toBeNull();
});

test("a secret that requests are signed with is no token of the service", () => {
  const fields = ["/configurations/github_token", "/configurations/webhook_secret"];
  expect(fields.map((field) => serviceOfField("TRIGGER.GITHUB", field, ["github"]))).toEqual([
    "github",
    null,
  ]);
});

test("a new credential gets a name that is free and allowed", () => {
  expect(unusedName("github", ["github", "github-2"])).toBe("github-3");
  expect([nameFault("a b"), nameFault("ok.name-1"), nameFault("")]).toEqual([
    "Use letters, digits and _ . -",
    null,
    null,
  ]);
});
