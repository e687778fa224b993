/** The functions' answers, whichever of these they have. */
export type FunctionAnswer = { authUrl?: string; message?: string; error?: string };

/** Throws when nothing came back that can be read. */
export async function postFunction(
  name: "gmail-oauth-auth" | "gmail-sync",
  accessToken: string | null,
  body: object,
): Promise<FunctionAnswer> {
  const response = await fetch(`/functions/${name}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(accessToken && { Authorization: `Bearer ${accessToken}` }) },
    body: JSON.stringify(body),
  });
  return (await response.json()) as FunctionAnswer;
}
