import { PRODUCT_NAME } from "#app/product.ts";
import { QUESTIONS } from "./questions.ts";

/** Builds schema.org data for search engines: the organization, the site and the questions. */
export function structuredData(origin: string) {
  return {
    "@context": "https://schema.org",
    "@graph": [
      {
        "@type": "Organization",
        "@id": `${origin}/#organization`,
        name: PRODUCT_NAME,
        url: `${origin}/`,
        logo: `${origin}/icon-512.png`,
      },
      { "@type": "WebSite", name: PRODUCT_NAME, url: `${origin}/`, publisher: { "@id": `${origin}/#organization` } },
      {
        "@type": "FAQPage",
        mainEntity: QUESTIONS.map(([question, answer]) => ({
          "@type": "Question",
          name: question,
          acceptedAnswer: { "@type": "Answer", text: answer },
        })),
      },
    ],
  };
}
