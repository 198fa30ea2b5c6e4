/**
 * The origins to which a skill and its hooks send requests, and the secrets that they send. A secret's binding
 * is made of these when it is set, and compared with them in each call. Asks no store. Bound by ADR 0033.
 */

import type { Hooks } from '../../ports/registry.ts'
import { secretNamesOf } from '../../request/draft-names.ts'
import type { Skill } from '../../skills/skill.ts'

type Needs = { readonly hooks: Pick<Hooks, 'secretNames' | 'urls'> }

/** By the skill itself, so that nothing here keeps one alive. */
const ownOrigins = new WeakMap<Skill, readonly string[]>()
const ownNames = new WeakMap<Skill, readonly string[]>()

/**
 * Each once, the endpoint's first. No place of a template stands in scheme, host or port, so the
 * arguments of a call change none of them.
 */
export function skillOrigins({ hooks }: Needs, skill: Skill): readonly string[] {
  const own = ownOrigins.get(skill) ?? originsIn([skill.endpoint])
  ownOrigins.set(skill, own)
  if (skill.hooks.length === 0) return own
  const urls = skill.hooks.flatMap(({ name, options }) => hooks.urls(name, options))
  return [...new Set([...own, ...originsIn(urls)])]
}

/** Of the skill's templates, its credential and its hooks, each once. */
export function skillSecretNames({ hooks }: Needs, skill: Skill): readonly string[] {
  const own = ownNames.get(skill) ?? secretNamesOf(skill)
  ownNames.set(skill, own)
  if (skill.hooks.length === 0) return own
  const names = skill.hooks.flatMap(({ name, options }) => hooks.secretNames(name, options))
  return [...new Set([...own, ...names])]
}

/** A text that is no URL stays as it is: no binding has it, so no secret goes there. */
function originsIn(urls: readonly string[]): readonly string[] {
  return urls.map((url) => URL.parse(url)?.origin ?? url)
}
