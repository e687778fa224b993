/** The fields of the functions' responses. Each response has some of them. */
export type FunctionResponse = { authUrl?: string; message?: string; error?: string };

/** Calls a function. Throws if there is no readable response. */
export async function postFunction(
  name: "gmail-oauth-auth" | "gmail-sync",
  accessToken: string | null,
  body: object,
): Promise<FunctionResponse> {
  const response = await fetch(`/functions/${name}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(accessToken && { Authorization: `Bearer ${accessToken}` }) },
    body: JSON.stringify(body),
  });
  return (await response.json()) as FunctionResponse;
}
