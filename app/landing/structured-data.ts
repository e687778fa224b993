import { CURRENCY, MICRO, PRODUCT_NAME } from "#app/product.ts";
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

type DescribedService = { id: number; name: string; category: string; rate: number; perOrder: boolean };

/** Builds schema.org data of a service on sale: what it costs, and nothing that isn't on its page. */
export function serviceData(origin: string, { id, name, category, rate, perOrder }: DescribedService) {
  const price = { price: rate / MICRO, priceCurrency: CURRENCY };
  const reference = { "@type": "QuantitativeValue", value: perOrder ? 1 : 1000 };
  return {
    "@context": "https://schema.org",
    "@type": "Service",
    name,
    serviceType: category,
    identifier: String(id),
    provider: { "@type": "Organization", "@id": `${origin}/#organization`, name: PRODUCT_NAME, url: `${origin}/` },
    offers: {
      "@type": "Offer",
      ...price,
      availability: "https://schema.org/InStock",
      priceSpecification: { "@type": "UnitPriceSpecification", ...price, referenceQuantity: reference },
    },
  };
}
