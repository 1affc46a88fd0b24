import { expect, it } from "vitest";
import { familyOfNode } from "./families";
import { nodeSubtitle } from "./nodeSubtitle";

const node = (type: string, data: Record<string, unknown>) =>
  ({ id: "a", type, name: "A", data }) as Parameters<typeof nodeSubtitle>[0];
const catalogNode = (ref: string, settings: Record<string, unknown>) =>
  node(ref.split(".")[0]!, { subtype: ref.split(".")[1], configurations: settings });

it("says what a node will do", () => {
  const condition = catalogNode("FLOW.IF", { condition_expression: "data.days[0].high_c < 15" });
  expect(nodeSubtitle(condition)).toEqual({ text: "data.days[0].high_c < 15", isCode: true });
  const request = catalogNode("ACTION.HTTP_REQUEST", { method: "GET", url: "https://a.example" });
  expect(nodeSubtitle(request)?.text).toBe("GET https://a.example");
  expect(nodeSubtitle(catalogNode("FLOW.FOR_EACH", { array_path: "data.cities" }))?.text).toBe(
    "for each of data.cities",
  );
  expect(nodeSubtitle(catalogNode("EXTERNAL_ACTION.SLACK", { action_type: "send_message" }))?.text).toBe(
    "send message",
  );
  expect(nodeSubtitle(node("prompt", { prompt: "Hello\n\n{{city}}" }))?.text).toBe("Hello {{city}}");
  expect(nodeSubtitle(catalogNode("FLOW.IF", {}))).toBeNull();
});

it("shows which texts are sent to a model", () => {
  const plain = node("prompt", { prompt: "Hello", answeredBy: "substitution" });
  const asking = node("prompt", { prompt: "Hello", answeredBy: "model" });
  expect([familyOfNode(plain), nodeSubtitle(plain)?.text]).toEqual(["prompt", "Hello"]);
  expect([familyOfNode(asking), nodeSubtitle(asking)?.text]).toEqual(["ai", "Ask a model: Hello"]);
});
