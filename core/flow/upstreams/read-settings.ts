/**
 * The settings of an upstream as an administrator sends them, with their defaults. Types and ranges
 * were checked against the schema of the route; what a skill would refuse is refused by the probe
 * (list-tools.ts).
 */
import { type FieldError, ok, type Result } from '../../errors.ts'
import { refuseFields } from '../../json/body-fields.ts'
import { toJsonPointer } from '../../json/json-pointer.ts'
import { PRICE_RULE, readPriceUnits } from '../../skills/definition/read-price.ts'
import { readGroups, SKILL_GROUPS_MAX } from '../../skills/group-names.ts'
import { REFRESH_MINUTES_DEFAULT, REFRESH_MINUTES_MIN } from '../../skills/upstreams/limits.ts'
import type { McpUpstream, UpstreamSettings } from '../../skills/upstreams/upstream.ts'

/** `url` and `prefix` are required. */
export type SentSettings = Partial<UpstreamSettings> & Pick<UpstreamSettings, 'prefix' | 'url'>

/** Refuses with `invalid_arguments`. Absent members have defaults, also over a stored upstream. */
export function readUpstreamSettings(
  sent: SentSettings,
  stored: McpUpstream | undefined,
): Result<UpstreamSettings> {
  const { credits = 0, groups = [], prices = {}, source = 'official' } = sent
  const { refresh_minutes: minutes = REFRESH_MINUTES_DEFAULT } = sent
  const read = readGroups([...groups], { at: '/groups', max: SKILL_GROUPS_MAX })
  const faults = [
    ...findPriceFaults({ credits, prices }),
    ...read.faults,
    ...findFixedFaults({ ...sent, source }, stored),
    ...(minutes === 0 || minutes >= REFRESH_MINUTES_MIN ? [] : [TOO_OFTEN]),
  ]
  if (faults.length > 0) return refuseFields('invalid_arguments', faults)
  const { groups: _, ...given } = sent
  return ok({
    ...given,
    source,
    credits,
    prices,
    refresh_minutes: minutes,
    pins: sent.pins ?? 'review',
    charge_tool_errors: sent.charge_tool_errors === true,
    resources: sent.resources === true,
    ...(read.groups.length === 0 ? {} : { groups: [...read.groups] }),
  })
}

const TOO_OFTEN = {
  pointer: '/refresh_minutes',
  message: `must be 0 (by hand alone) or at least ${REFRESH_MINUTES_MIN}`,
}

function findPriceFaults({
  credits,
  prices,
}: Pick<UpstreamSettings, 'credits' | 'prices'>): readonly FieldError[] {
  const byTool = Object.entries(prices).map(([tool, price]) => ({
    pointer: `/prices${toJsonPointer([tool])}`,
    price,
  }))
  return [{ pointer: '/credits', price: credits }, ...byTool]
    .filter(({ price }) => readPriceUnits(price) === undefined)
    .map(({ pointer }) => ({ pointer, message: `must be ${PRICE_RULE}` }))
}

/** A tool's name is what agents, keys and prices know it by, so it never moves. */
function findFixedFaults(
  sent: Pick<UpstreamSettings, 'prefix' | 'source'>,
  stored: McpUpstream | undefined,
): readonly FieldError[] {
  if (stored === undefined) return []
  return (['prefix', 'source'] as const)
    .filter((name) => sent[name] !== stored.settings[name])
    .map((name) => ({
      pointer: `/${name}`,
      message: `is ${stored.settings[name]} and cannot change, since its tools are called by it; delete the upstream and register it anew`,
    }))
}
