import { describe, expect, it } from "vitest";
import { liveStore, takeVersions } from "./topicVersions";

describe("what the service has", () => {
  it("is asked for again where its version is another one", () => {
    liveStore.setState({ versions: {} });
    expect(takeVersions({ runs: "1", servers: "a" })).toEqual(["runs", "servers"]);
    expect(takeVersions({ runs: "1" })).toEqual([]);
    expect(takeVersions({ runs: "2", servers: "a" })).toEqual(["runs"]);
    expect(liveStore.getState().versions).toEqual({ runs: "2", servers: "a" });
  });
});
