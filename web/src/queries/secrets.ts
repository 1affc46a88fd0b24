/** Secrets in the vault. */

import { useQuery } from "@tanstack/react-query";
import { client, unwrap } from "../api/client";

export const SECRETS = ["secrets"] as const;

/** Records of sign-ins and services, which no workflow can use, and keys of models, which have their own page. */
const INTERNAL = /^((oauth|oauth-tokens|service):|model\/)/;

export const useSecrets = () =>
  useQuery({
    queryKey: SECRETS,
    queryFn: async () => {
      const { names } = await unwrap(client.GET("/api/v1/secrets"));
      // The token of a service is listed with its credential.
      const isOther = (name: string) => !INTERNAL.test(name) && !names.includes(`service:${name}`);
      return names.filter(isOther);
    },
  });

/** The workflows and servers that refer to a secret or a credential. */
export const useSecretUses = (name: string) =>
  useQuery({
    queryKey: [...SECRETS, name, "uses"],
    queryFn: async () =>
      (await unwrap(client.GET("/api/v1/secrets/{name}/uses", { params: { path: { name } } }))).uses,
  });

export async function storeSecret(
  name: string,
  value: string,
  hosts: readonly string[] = [],
): Promise<string> {
  await unwrap(
    client.PUT("/api/v1/secrets/{name}", { params: { path: { name } }, body: { value, hosts } as never }),
  );
  return `Added ${name}; refer to it as \${vault:${name}}`;
}

export const removeSecret = (name: string) =>
  unwrap(client.DELETE("/api/v1/secrets/{name}", { params: { path: { name } } }));
