import { expect, test } from "vitest";
import { actorOf, type Viewer } from "./viewer.server.ts";

test("names staff in the audit log by email address if they have no name", () => {
  const viewer: Viewer = {
    userId: "1",
    sessionId: "s",
    email: "ada@shop.example",
    fullName: "",
    role: "admin",
    verifiedAt: 1,
    isHeld: false,
    secondFactorAt: null,
    emailConfirmed: true,
  };
  expect(actorOf(viewer)).toEqual({ userId: "1", name: "ada@shop.example", sessionId: "s" });
  expect(actorOf({ ...viewer, fullName: "Ada" })).toEqual({ userId: "1", name: "Ada", sessionId: "s" });
});
