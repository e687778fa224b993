/** Questions and answers, for the landing page and for search engines. */
export const QUESTIONS = [
  [
    "Do you need my password?",
    "No. An order only needs the public link of a post, video or profile. We never ask for the password of your social account, and you shouldn't give it to anyone who does.",
  ],
  [
    "What if my order isn't fully delivered?",
    "As soon as the provider reports it, the order becomes Partial or Canceled and we refund the undelivered part to your balance automatically. The refund shows up in your transactions.",
  ],
  [
    "What is a refill?",
    "Networks remove accounts, so counts can drop after delivery. If a service offers refills, you can request one on a delivered order and the provider replaces what dropped, free. If it doesn't, drops aren't replaced.",
  ],
  [
    "What is drip-feed?",
    "The quantity is delivered several times, at an interval you choose. You're charged for all runs when you place the order, and you see the total first.",
  ],
  [
    "Do networks allow this?",
    "Most don't welcome bought engagement, and some remove it. Read your network's rules before you order; the decision is yours.",
  ],
  [
    "How do I add to my balance?",
    "Open Top up in your dashboard. You can redeem a code there and, where card payments are available, pay by card through Stripe. Every top-up shows up in your transactions.",
  ],
] as const;
