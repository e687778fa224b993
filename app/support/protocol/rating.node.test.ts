import { expect, test } from "vitest";
import { ownRatingText, type Rating, ratingText } from "./rating.ts";

test("shows agents who rated, and the visitor their own rating", () => {
  const shown = (rating: Rating, name = "Nina") => {
    const message = ratingText(name, rating);
    return [
      message,
      ownRatingText({ seq: 1, client_id: "c", sender_type: "system", sender_name: "", message, created_at: 1 }),
    ];
  };
  expect(shown("good")).toEqual(["Nina rated this conversation: Good", "You rated this: Good"]);
  expect(shown("bad", "Good")).toEqual(["Good rated this conversation: Bad", "You rated this: Bad"]);
});
