/** Whether what is set about the prompt cache can have an effect, given where requests go. */
import type { Configuration } from "../../config/schema.ts";
import type { Vendor } from "../../core/protocols.ts";
import { createUpstreams } from "../../gateway/transport/upstreams.ts";
import { allDefinitions } from "../../protocols/registry.ts";
import { upstreamSettings } from "../gateway-options.ts";
import { fine, note, warning, type Finding } from "./finding.ts";

export function checkCaching(configuration: Configuration): readonly Finding[] {
  const { prompt_caching: caching, compression, gateway } = configuration;
  if (!caching.enabled)
    return [note("caching", "caching_off", "prompt_caching.enabled is false: only a client's own markers count")];
  const configured = Object.keys(gateway.upstreams);
  const all = createUpstreams(upstreamSettings(configuration)).all.filter(
    ({ name }) => configured.length === 0 || configured.includes(name),
  );
  const marked = all.filter(({ protocol }) => !cachesByItself(protocol)).map(({ name }) => name);
  const automatic = all.filter(({ protocol }) => cachesByItself(protocol)).map(({ name }) => name);
  const says = [
    `strategy ${caching.strategy}, ${caching.cache_ttl}`,
    ...(marked.length === 0 ? [] : [`markers for ${marked.join(", ")}, where Anthropic's protocol is spoken`]),
    ...(automatic.length === 0 ? [] : [`${automatic.join(", ")} caches by itself`]),
  ].join("; ");
  const findings = [fine("caching", "caching", says)];
  if (caching.cache_ttl === "1h" && marked.length === 0)
    findings.push(
      warning("caching", "ttl_without_markers", {
        says: "prompt_caching.cache_ttl is 1h, but no configured upstream accepts markers",
        fix: "Leave it out, or add an upstream that speaks Anthropic's protocol.",
      }),
    );
  if (compression.mode === "observe")
    findings.push(
      note("caching", "caching_observed", "compression.mode is observe: no request is changed, so none is marked"),
    );
  return findings;
}

/** Anthropic caches what is marked; without a stated protocol, an upstream may speak Anthropic's. */
function cachesByItself(vendor: Vendor | undefined): boolean {
  return vendor !== undefined && !allDefinitions.some((one) => one.vendor.name === vendor && one.markers === "native");
}
