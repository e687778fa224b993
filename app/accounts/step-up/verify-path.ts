/** Returns the page that asks a signed-in person for a proof and leads back to `redirectTo`. */
export function verifyPath(redirectTo: string): string {
  return `/auth/verify?${new URLSearchParams({ redirectTo })}`;
}
