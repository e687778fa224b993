import { PRODUCT_NAME } from "#app/product.ts";

export function loader() {
  const manifest = {
    name: PRODUCT_NAME,
    short_name: PRODUCT_NAME,
    description: "Followers, likes and views by the number, from one catalog and one balance.",
    start_url: "/dashboard",
    scope: "/",
    display: "standalone",
    background_color: "#0c0f13",
    theme_color: "#0c0f13",
    icons: [
      { src: "/icon-192.png", sizes: "192x192", type: "image/png" },
      { src: "/icon-512.png", sizes: "512x512", type: "image/png" },
      { src: "/icon-maskable-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
    ],
  };
  return new Response(JSON.stringify(manifest), {
    headers: { "Content-Type": "application/manifest+json", "Cache-Control": "public, max-age=3600" },
  });
}
