import { createElement, type ForwardedRef, forwardRef, type SVGProps } from "react";

/** An icon's drawing, as lucide's icon modules have it. */
type IconData = { size?: number; node: [tag: string, attributes: Record<string, string>][] };

/**
 * Makes an icon's component. `vite.config.ts` gives it to lucide's icon modules instead of lucide's own, which also
 * reads a context, builds class names and translates attributes for other frameworks each time an icon is rendered.
 */
export default function createIcon(data: IconData) {
  return forwardRef<SVGSVGElement, SVGProps<SVGSVGElement>>((props, ref) => draw(data, props, ref));
}

function draw({ node, size = 24 }: IconData, props: SVGProps<SVGSVGElement>, ref: ForwardedRef<SVGSVGElement>) {
  const isNamed = props.role !== undefined || props["aria-label"] !== undefined;
  const attributes = {
    ref,
    xmlns: "http://www.w3.org/2000/svg",
    width: 24,
    height: 24,
    viewBox: `0 0 ${size} ${size}`,
    fill: "none",
    stroke: "currentColor",
    strokeWidth: 2,
    strokeLinecap: "round",
    strokeLinejoin: "round",
    "aria-hidden": isNamed ? undefined : true,
    ...props,
  } as const;
  return createElement("svg", attributes, ...node.map(([tag, shape]) => createElement(tag, shape)));
}
