/**
 * What a secret may be used for: the tier of its skill and the origins that it may be sent to. Its text
 * is stored beside the sealed value and sealed into its context, so a changed one opens nothing. Bound
 * by docs/service.md, Secrets, and ADR 0033.
 */
import { isJsonObject, type Json } from '../json/json.ts'
import { parseJson } from '../json/parse-json.ts'
import type { SkillSource } from '../skills/skill.ts'

export type SecretBinding = {
  /** Of the skill that alone may use the secret; undefined for a global one. */
  readonly tier: SkillSource | undefined
  /** Empty only for a global one: wherever official and private skills send it. */
  readonly origins: readonly string[]
  /** Market skills that may use a global one; no other market skill may. */
  readonly marketSkills: readonly string[]
}

/** Where a call would use a secret. */
export type SecretUse = {
  readonly skillId: string
  readonly source: SkillSource
  /** All that the skill and its hook send to. */
  readonly origins: readonly string[]
}

export type BindingFault =
  /** Not readable here, such as one that a later build stored. */
  | { readonly kind: 'unbound' }
  | { readonly kind: 'tier'; readonly tier: SkillSource }
  /** A global one, and a market skill that it was not set for. */
  | { readonly kind: 'market' }
  | { readonly kind: 'origin'; readonly origin: string }

/** The same text for the same binding, whatever the order of its lists. */
export function bindingText({ marketSkills, origins, tier }: SecretBinding): string {
  const sorted = (list: readonly string[]) => [...new Set(list)].sort()
  return JSON.stringify({
    ...(tier === undefined ? {} : { tier }),
    origins: sorted(origins),
    ...(marketSkills.length === 0 ? {} : { marketSkills: sorted(marketSkills) }),
  })
}

/** Undefined for a text that is no binding; the secret may then be sent nowhere. */
export function readBinding(text: string): SecretBinding | undefined {
  const parsed = parseJson(text)
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined
  const { marketSkills = [], origins, tier } = parsed.value
  if (!isTexts(origins) || !isTexts(marketSkills)) return undefined
  if (tier === undefined) return { tier, origins, marketSkills }
  const isKnown = tier === 'official' || tier === 'market' || tier === 'private'
  return isKnown && origins.length > 0 ? { tier, origins, marketSkills } : undefined
}

/** The reason why the binding does not allow this use; undefined when it does. */
export function bindingFault(
  binding: SecretBinding | undefined,
  use: SecretUse,
): BindingFault | undefined {
  if (binding === undefined) return { kind: 'unbound' }
  const { marketSkills, origins, tier } = binding
  if (tier !== undefined && tier !== use.source) return { kind: 'tier', tier }
  if (tier === undefined && use.source === 'market' && !marketSkills.includes(use.skillId)) {
    return { kind: 'market' }
  }
  // An opt-in without origins would follow the market skill wherever a sync moves it.
  if (tier === undefined && origins.length === 0 && use.source !== 'market') return undefined
  const origin = use.origins.find((one) => !origins.includes(one))
  return origin === undefined ? undefined : { kind: 'origin', origin }
}

function isTexts(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}
