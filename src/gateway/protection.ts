/** What keeps one tenant, one upstream that is away, or too much work from stopping everything else. */
import type { GatewayOptions } from "./gateway-options.ts";
import type { EmitEvent } from "./contract.ts";
import type { GatewayLimits } from "./limits.ts";
import { createOverload, type Overload } from "./overload.ts";
import { createTenantDirectory, type TenantDirectory } from "./tenants/directory.ts";
import { createTenantRates, type TenantRates } from "./tenants/rates.ts";
import { withBreakers } from "./transport/breaker.ts";
import { createSender, type Sender } from "./transport/send.ts";

export interface Protection {
  readonly sender: Sender;
  readonly overload: Overload;
  readonly tenants: TenantDirectory;
  readonly tenantRates: TenantRates;
}

interface ProtectionParts {
  readonly limits: GatewayLimits;
  readonly onEvent: EmitEvent;
  readonly now: () => number;
}

export function createProtection(options: GatewayOptions, { limits, onEvent, now }: ProtectionParts): Protection {
  const tenants = createTenantDirectory({ source: options.tenants, limits: options.tenantLimits ?? {}, onEvent });
  return {
    sender: withBreakers(createSender(limits, options.proxies), { limits, onEvent, now }),
    overload: createOverload({ limits, onEvent }),
    tenants,
    tenantRates: createTenantRates(tenants.limitsOf, now),
  };
}
