import { client, data } from "../api/client";

/** Makes sure the sample is there, with its server; gives its name. */
export async function makeSample(): Promise<string> {
  return (await data(client.POST("/api/v1/samples"))).workflow;
}
