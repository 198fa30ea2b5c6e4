/**
 * What a secret may be used for: the tier of its skill and the origins to which it may be sent. The
 * binding's text is stored beside the sealed value and is part of its context, so a changed text
 * opens nothing. Bound by docs/service.md, Secrets, and ADR 0033.
 */
import { isJsonObject, type Json } from '../json/json.ts'
import { parseJson } from '../json/parse-json.ts'
import type { SkillSource } from '../skills/skill.ts'

export type SecretBinding = {
  /** Tier of the only skill that may use the secret; undefined for a global secret. */
  readonly tier: SkillSource | undefined
  /** Empty only for a global secret: it may go wherever official and private skills send it. */
  readonly origins: readonly string[]
  /** Market skills that may use a global secret; no other market skill may. */
  readonly marketSkills: readonly string[]
  /** Of the tokens of a login: what they are for. Only tools with this login may use them. */
  readonly login?: string | undefined
}

/** The skill that would use a secret, and where it would send it. */
export type SecretUse = {
  readonly skillId: string
  readonly source: SkillSource
  /** All origins to which the skill and its hooks send requests. */
  readonly origins: readonly string[]
}

export type BindingRefusal =
  /** The text is not readable, for example because a later build stored it. */
  | { readonly kind: 'unbound' }
  | { readonly kind: 'tier'; readonly tier: SkillSource }
  /** The secret is global, and the market skill is not among those that may use it. */
  | { readonly kind: 'market' }
  | { readonly kind: 'origin'; readonly origin: string }
  /** The secret is the tokens of a login, and the skill would send them as they are. */
  | { readonly kind: 'login' }

/** The text of a binding; the order of its lists does not change the text. */
export function writeBinding({ login, marketSkills, origins, tier }: SecretBinding): string {
  const sorted = (list: readonly string[]) => [...new Set(list)].sort()
  return JSON.stringify({
    ...(tier === undefined ? {} : { tier }),
    origins: sorted(origins),
    ...(marketSkills.length === 0 ? {} : { marketSkills: sorted(marketSkills) }),
    ...(login === undefined ? {} : { login }),
  })
}

/** Returns undefined if the text is no binding; the secret may then be sent nowhere. */
export function readBinding(text: string): SecretBinding | undefined {
  const parsed = parseJson(text)
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined
  const { login, marketSkills = [], origins, tier } = parsed.value
  if (!isTextList(origins) || !isTextList(marketSkills)) return undefined
  if (login !== undefined && typeof login !== 'string') return undefined
  const ofLogin = login === undefined ? {} : { login }
  if (tier === undefined) return { tier, origins, marketSkills, ...ofLogin }
  const isKnown = tier === 'official' || tier === 'market' || tier === 'private'
  return isKnown && origins.length > 0 ? { tier, origins, marketSkills } : undefined
}

/** Returns why the binding does not allow this use, or undefined if it does. */
export function checkBinding(
  binding: SecretBinding | undefined,
  use: SecretUse,
): BindingRefusal | undefined {
  if (binding === undefined) return { kind: 'unbound' }
  const { marketSkills, origins, tier } = binding
  if (tier !== undefined && tier !== use.source) return { kind: 'tier', tier }
  if (tier === undefined && use.source === 'market' && !marketSkills.includes(use.skillId)) {
    return { kind: 'market' }
  }
  // Without origins, a secret for a market skill would go wherever a sync moves that skill.
  if (tier === undefined && origins.length === 0 && use.source !== 'market') return undefined
  const origin = use.origins.find((one) => !origins.includes(one))
  return origin === undefined ? undefined : { kind: 'origin', origin }
}

function isTextList(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}
