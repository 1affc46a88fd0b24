import { describe, expect, it } from "vitest";
import { rebuildRequest } from "./rebuildRequest";

const step = (size: number) => ({
  id: "1",
  name: "Send",
  type: "slack",
  position: [0, 0],
  text: "x".repeat(size),
});

describe("a file of another system", () => {
  it("is a request, as much of it as fits", () => {
    const whole = rebuildRequest(JSON.stringify({ name: " Lead ", nodes: [step(1)] }))!;
    expect(whole.name).toBe("Lead");
    expect(whole.text).toContain('"position":[0,0]');
    const large = rebuildRequest(JSON.stringify({ nodes: [step(30_000)] }))!;
    expect(large.name).toBe("untitled");
    expect(large.text).toContain('{"name":"Send","type":"slack"}');
    const steps = Array.from({ length: 2_000 }, () => step(1));
    expect(rebuildRequest(JSON.stringify({ data: { nodes: steps } }))!.text.length).toBeLessThan(20_000);
  });

  it("is none without steps", () => {
    expect([rebuildRequest("no json"), rebuildRequest("[]"), rebuildRequest('{"nodes": []}')]).toEqual([
      null,
      null,
      null,
    ]);
  });
});
