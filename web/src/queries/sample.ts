import { client, unwrap } from "../api/client";

/** Makes sure the sample is there, with its server; gives its name. */
export async function createSample(): Promise<string> {
  return (await unwrap(client.POST("/api/v1/samples"))).workflow;
}
