/**
 * The origins to which a skill and its hooks send requests, and the secrets that they send. The
 * binding of a secret is made from these when it is set, and compared with them in each call. Reads
 * no store. Bound by ADR 0033.
 */

import type { Hooks } from '../../ports/registry.ts'
import { listSecretNames } from '../../request/draft-names.ts'
import { toFunctionOrigin } from '../../skills/lambda-target.ts'
import type { Skill } from '../../skills/skill.ts'

type Needs = { readonly hooks: Pick<Hooks, 'secretNames' | 'urls'> }

/** Caches by skill; a weak map keeps no skill in memory. */
const ownOrigins = new WeakMap<Skill, readonly string[]>()
const ownNames = new WeakMap<Skill, readonly string[]>()

/**
 * Each origin once, the endpoint's first. Scheme, host and port of a template have no parameters,
 * so the arguments of a call do not change the origins.
 */
export function listSkillOrigins({ hooks }: Needs, skill: Skill): readonly string[] {
  const own = ownOrigins.get(skill) ?? listOwnOrigins(skill)
  ownOrigins.set(skill, own)
  if (skill.hooks.length === 0) return own
  const urls = skill.hooks.flatMap(({ name, options }) => hooks.urls(name, options))
  return [...new Set([...own, ...toOrigins(urls)])]
}

function listOwnOrigins({ endpoint, lambda }: Skill): readonly string[] {
  return lambda === undefined ? toOrigins([endpoint]) : [toFunctionOrigin(lambda)]
}

/** Names from the skill's templates, its credential and its hooks, each once. */
export function listSkillSecretNames({ hooks }: Needs, skill: Skill): readonly string[] {
  const own = ownNames.get(skill) ?? listSecretNames(skill)
  ownNames.set(skill, own)
  if (skill.hooks.length === 0) return own
  const names = skill.hooks.flatMap(({ name, options }) => hooks.secretNames(name, options))
  return [...new Set([...own, ...names])]
}

/**
 * A text that is no URL stays as it is. No binding has such an origin, so no secret is sent there.
 */
function toOrigins(urls: readonly string[]): readonly string[] {
  return urls.map((url) => URL.parse(url)?.origin ?? url)
}
