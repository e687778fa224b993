import { Field, Input } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import type { Offer } from "#app/orders/catalog/offers.server.ts";

type Need = Offer["needs"][number];

const ONE_A_LINE = "One a line.";

const WORDS: Record<string, { label: string; help?: string; choices?: string[] }> = {
  comments: { label: "Comments", help: "One a line; each line is one comment." },
  usernames: { label: "Usernames", help: ONE_A_LINE },
  hashtags: { label: "Hashtags", help: ONE_A_LINE },
  hashtag: { label: "Hashtag", help: "Users are taken from the posts under it." },
  username: { label: "Username", help: "Whose comment or whose followers it is about." },
  media: { label: "Media link", help: "Users are taken from those who liked it." },
  keywords: { label: "Keywords", help: ONE_A_LINE },
  groups: { label: "Groups", help: ONE_A_LINE },
  answer_number: { label: "Answer number", help: "Counted from 1, as the poll lists them." },
  country: { label: "Country", help: "Two letters like US or DE, or WW for the whole world." },
  // The numbers are the panel convention's.
  device: {
    label: "Device",
    choices: ["Desktop", "Mobile, Android", "Mobile, iOS", "Mobile, mixed", "Desktop and mobile"],
  },
  type_of_traffic: {
    label: "Type of traffic",
    choices: ["From a Google keyword", "From a page you name", "Without a referrer"],
  },
  google_keyword: { label: "Google keyword" },
  referring_url: { label: "Referring page" },
  min: { label: "At least, for a post" },
  max: { label: "At most, for a post", help: "The charge is for this many; what is not delivered goes back." },
  delay: { label: "Delay", help: "Minutes after a post: 0, 5, 10, 15, 30, 60, 90 … 600." },
  posts: { label: "New posts", help: "How many posts to come." },
  old_posts: { label: "Old posts", help: "How many of those that are there already." },
  expiry: { label: "Until", help: "Day/month/year." },
};

/** One of the fields that only some types of order have. */
export function OrderDetail({
  need,
  initial,
  error,
  help,
  onChange,
}: {
  need: Need;
  initial: string;
  error: string | undefined;
  help?: string;
  onChange?: (value: string) => void;
}) {
  const words = WORDS[need.name] ?? { label: need.name };
  const isList = need.kind === "lines";
  return (
    <Field
      id={`order-${need.name}`}
      label={words.label}
      optional={need.optional}
      help={[words.help, help].filter(Boolean).join(" ") || undefined}
      error={error}
      className={isList ? "sm:col-span-2" : ""}
    >
      {(control) => {
        const shared = { ...control, name: need.name, defaultValue: initial };
        if (isList) return <Textarea {...shared} onChange={(event) => onChange?.(event.target.value)} />;
        if (words.choices) {
          return (
            <Select {...shared}>
              {words.choices.map((choice, index) => (
                <option key={choice} value={index + 1}>
                  {choice}
                </option>
              ))}
            </Select>
          );
        }
        return <Input {...shared} inputMode={need.kind === "number" ? "numeric" : undefined} autoComplete="off" />;
      }}
    </Field>
  );
}
