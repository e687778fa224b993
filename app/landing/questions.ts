/** Question and answer, as the landing page and search engines show them. */
export const QUESTIONS = [
  [
    "Do you need my password?",
    "No. An order needs the public link of a post, a video or a profile. Nobody here will ask for the password of your network account, and you should not give it to anyone who does.",
  ],
  [
    "What happens when not all of it arrives?",
    "The order becomes Partial or Canceled, and the share of the charge for the missing pieces goes back to your balance at once, without a request. The ledger in your dashboard shows the entry.",
  ],
  [
    "What is a refill?",
    "Networks remove accounts, and numbers fall with them. A service with refill tops an order up again within the time its name gives. A service without refill does not.",
  ],
  [
    "What is drip-feed?",
    "The quantity is delivered again every so many minutes, as many times as you say. The charge is for all runs together and is shown before you place it.",
  ],
  [
    "Can a network object?",
    "Yes. Most networks do not welcome bought engagement, and some remove it. Read the rules of yours before you order; that decision is yours.",
  ],
  [
    "How do I add to my balance?",
    "Write to support and say how much. It is added by a person, and the entry appears in your ledger.",
  ],
] as const;
