import { expect, test } from "vitest";
import { z } from "zod";
import {
  errorResponse,
  readJson,
  sessionResponse,
  tokenRefusalResponse,
  userResponse,
} from "./token-responses.server.ts";

const AT = 1_700_000_000_000;
const USER = {
  id: "u",
  email: "ada@test.example",
  fullName: "Ada",
  createdAt: AT,
  emailConfirmedAt: AT + 1000,
  updatedAt: AT + 3000,
  lastSignInAt: AT + 2000,
};
const TIMES = {
  last_sign_in_at: "2023-11-14T22:13:22.000Z",
  created_at: "2023-11-14T22:13:20.000Z",
  updated_at: "2023-11-14T22:13:23.000Z",
};
const IDENTITY = {
  identity_id: "u",
  id: "u",
  user_id: "u",
  identity_data: { sub: "u", email: "ada@test.example", email_verified: true, phone_verified: false },
  provider: "email",
  email: "ada@test.example",
  ...TIMES,
};
const SHOWN = {
  id: "u",
  aud: "authenticated",
  role: "authenticated",
  email: "ada@test.example",
  email_confirmed_at: "2023-11-14T22:13:21.000Z",
  confirmed_at: "2023-11-14T22:13:21.000Z",
  app_metadata: { provider: "email", providers: ["email"] },
  user_metadata: { email: "ada@test.example", full_name: "Ada" },
  identities: [IDENTITY],
  ...TIMES,
  is_anonymous: false,
};

test("writes a session as the client library reads it, with the cookie, and for no cache", async () => {
  const tokens = { accessToken: "a", refreshToken: "r", sessionId: "s", user: USER };
  const response = sessionResponse(tokens, "a=cookie", AT + 999);
  expect(response.headers.get("Set-Cookie")).toBe("a=cookie");
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  expect(await response.json()).toEqual({
    access_token: "a",
    token_type: "bearer",
    expires_in: 900,
    expires_at: AT / 1000 + 900,
    refresh_token: "r",
    user: SHOWN,
  });
});

test("writes a user, and no time of confirmation for an address that isn't confirmed", async () => {
  expect(await userResponse(USER).json()).toEqual(SHOWN);
  const response = userResponse({ ...USER, emailConfirmedAt: null });
  const { email_confirmed_at: _, confirmed_at: __, ...unconfirmed } = SHOWN;
  const identity_data = { ...IDENTITY.identity_data, email_verified: false };
  expect(await response.json()).toEqual({ ...unconfirmed, identities: [{ ...IDENTITY, identity_data }] });
  expect(response.headers.get("Cache-Control")).toBe("no-store");
});

test("writes an error with its code, fields and headers, for no cache", async () => {
  const fields = { headers: { "Retry-After": "5" }, weak_password: { reasons: ["length"] } };
  const response = errorResponse(422, "a_code", "A text", fields);
  expect(response.status).toBe(422);
  expect([response.headers.get("Retry-After"), response.headers.get("Cache-Control")]).toEqual(["5", "no-store"]);
  expect(await response.json()).toEqual({
    code: 422,
    error_code: "a_code",
    msg: "A text",
    weak_password: { reasons: ["length"] },
  });
  expect(await errorResponse(400, "a_code", "A text").json()).toEqual({
    code: 400,
    error_code: "a_code",
    msg: "A text",
  });
});

test.for([
  ["unknown", 400, "refresh_token_not_found"],
  ["ended", 400, "session_expired"],
  ["reused", 400, "refresh_token_already_used"],
  // The client tries again after a status of 500 or above only.
  ["busy", 503, "unexpected_failure"],
] as const)("refuses a refresh token that is %s with %i %s", async ([reason, status, code]) => {
  const response = tokenRefusalResponse(reason);
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ code: status, error_code: code });
});

const schema = z.object({
  name: z.string("Enter a name").optional(),
  password: z.string("Too short").min(8, "Too short"),
});
const BODIES: [body: string, type: string | null, status: number, code: string, text: string][] = [
  ["{}", "text/plain", 400, "bad_json", "Send JSON"],
  ["{}", null, 400, "bad_json", "Send JSON"],
  ["{}", "text/application/json", 400, "bad_json", "Send JSON"],
  ["{", "application/json", 400, "bad_json", "Could not parse the body as JSON"],
  ["{}", "application/json", 422, "weak_password", "Too short"],
  ['{"password":"short"}', "application/json", 422, "weak_password", "Too short"],
  ['{"name":1,"password":"a long password"}', "application/json", 400, "validation_failed", "Enter a name"],
  ["[]", "application/json", 400, "validation_failed", "Invalid input: expected object, received array"],
];

test.for(BODIES)("refuses the body %s of type %s with %i %s", async ([body, type, status, code, text]) => {
  const read = await readJson(requestOf(body, type), schema);
  if (read.ok) throw new Error("not refused");
  expect(read.response.status).toBe(status);
  expect(await read.response.json()).toEqual({
    code: status,
    error_code: code,
    msg: text,
    ...(code === "weak_password" && { weak_password: { reasons: ["length"] } }),
  });
});

test("reads a JSON body", async () => {
  for (const type of ["application/json", "application/json; charset=utf-8"]) {
    expect(await readJson(requestOf('{"password":"long enough","more":1}', type), schema)).toEqual({
      ok: true,
      input: { password: "long enough" },
    });
  }
});

function requestOf(body: string, type: string | null): Request {
  const headers = type === null ? undefined : { "Content-Type": type };
  return new Request("https://growline.example", { method: "POST", headers, body: new TextEncoder().encode(body) });
}
