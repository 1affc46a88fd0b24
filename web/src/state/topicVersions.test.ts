import { describe, expect, it } from "vitest";
import { versionStore, updateVersions } from "./topicVersions";

describe("topic versions", () => {
  it("report the topics that changed", () => {
    versionStore.setState({ versions: {} });
    expect(updateVersions({ runs: "1", servers: "a" })).toEqual(["runs", "servers"]);
    expect(updateVersions({ runs: "1" })).toEqual([]);
    expect(updateVersions({ runs: "2", servers: "a" })).toEqual(["runs"]);
    expect(versionStore.getState().versions).toEqual({ runs: "2", servers: "a" });
  });
});
