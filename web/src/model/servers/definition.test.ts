import { describe, expect, it } from "vitest";
import {
  addressDefinition,
  commandDefinition,
  parsePairs,
  DefinitionError,
  splitCommand,
} from "./definition";

describe("a command line", () => {
  it.each([
    ["npx -y server /tmp", ["npx", "-y", "server", "/tmp"]],
    [`  sh  -c 'a b' "c \\" d" e\\ f `, ["sh", "-c", "a b", 'c " d', "e f"]],
    [`x '' ""`, ["x", "", ""]],
    [`x 'C:\\y'`, ["x", "C:\\y"]],
    [`a; rm -rf $(b) | c`, ["a;", "rm", "-rf", "$(b)", "|", "c"]],
    ["", []],
  ])("%s is parted into words, and no shell is asked", (line, words) => {
    expect(splitCommand(line)).toEqual(words);
  });

  it("with an unclosed quote is rejected", () => {
    expect(() => splitCommand("x 'y")).toThrow(DefinitionError);
  });
});

describe("a definition", () => {
  it("of a command has its arguments and its environment", () => {
    const typed = { name: " time ", target: "uvx mcp-server-time", pairs: "TOKEN=${vault:t}\n\nA=b=c" };
    expect(JSON.parse(commandDefinition(typed))).toEqual({
      mcpServers: {
        time: { command: "uvx", args: ["mcp-server-time"], env: { TOKEN: "${vault:t}", A: "b=c" } },
      },
    });
  });

  it("of an address has its transport and its headers", () => {
    const typed = { name: "web", target: "https://example.com/mcp", pairs: "" };
    expect(JSON.parse(addressDefinition(typed, false)).mcpServers.web).toEqual({
      type: "http",
      url: "https://example.com/mcp",
    });
    expect(JSON.parse(addressDefinition(typed, true)).mcpServers.web.type).toBe("sse");
  });

  it.each([
    [() => commandDefinition({ name: "", target: "x", pairs: "" }), /name/],
    [() => commandDefinition({ name: "x", target: "  ", pairs: "" }), /command/],
    [() => addressDefinition({ name: "x", target: "ftp://x", pairs: "" }, false), /https/],
    [() => parsePairs("no equals sign"), /NAME=value/],
  ])("that lacks something says what", (make, words) => {
    expect(make).toThrow(words);
  });
});
