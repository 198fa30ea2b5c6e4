/**
 * The scope of an API key: the tools that the key may call, and the highest price of one call. The
 * scope is part of the key's record, so authentication reads it and a call needs no further read.
 * Bound by docs/service.md, Scopes of keys, and ADR 0108.
 */
import type { MicroCredits } from '../ledger/ledger.ts'
import { KEY_GLOB_CHARS_MAX } from './limits.ts'
import { matchesGlob } from './match-glob.ts'

/** An absent member limits nothing. */
export type KeyScope = {
  /** Globs over listed tool names. An empty list allows no tool. */
  readonly tools?: readonly string[]
  /** A call that costs exactly this much is allowed. */
  readonly maxCreditsPerCall?: MicroCredits
  /** Globs of the key that issued this one, which a tool must match as well. Never stored. */
  readonly parentTools?: readonly string[]
  /** The key may issue sub-keys (sub-key.ts). */
  readonly mayIssueKeys?: true
}

/** The characters of listed tool names, and `*`. */
export const KEY_GLOB_PATTERN = `^[A-Za-z0-9_*-]{1,${KEY_GLOB_CHARS_MAX}}$`

/** The parts of a tool that a scope checks: its listed name and its price. */
export type ScopedTool = { readonly name: string; readonly priceMicroCredits: MicroCredits }

/** True if the key may call the tool. Not for built-in tools: every key may call those. */
export function isInScope(scope: KeyScope | undefined, tool: ScopedTool): boolean {
  return scope === undefined || (allowsToolName(scope, tool.name) && isAffordable(scope, tool))
}

/** True if each list of globs in the scope has one that matches the name. */
export function allowsToolName({ parentTools, tools }: KeyScope, name: string): boolean {
  return [tools, parentTools].every(
    (globs) => globs === undefined || globs.some((glob) => matchesGlob(glob, name)),
  )
}

/** True if the price is within the limit for one call. */
export function isAffordable({ maxCreditsPerCall }: KeyScope, tool: ScopedTool): boolean {
  return maxCreditsPerCall === undefined || tool.priceMicroCredits <= maxCreditsPerCall
}

/** A change of a scope. An absent member stays as it is; null removes it. */
export type ScopeChange = {
  readonly tools?: readonly string[] | null
  readonly maxCreditsPerCall?: MicroCredits | null
  readonly mayIssueKeys?: boolean
}

/** Returns the scope after a change; undefined if no limit remains. */
export function applyScopeChange(
  before: KeyScope | undefined,
  change: ScopeChange,
): KeyScope | undefined {
  const tools = change.tools === undefined ? before?.tools : (change.tools ?? undefined)
  const maxCreditsPerCall =
    change.maxCreditsPerCall === undefined
      ? before?.maxCreditsPerCall
      : (change.maxCreditsPerCall ?? undefined)
  const mayIssueKeys = change.mayIssueKeys ?? before?.mayIssueKeys === true
  const scope: KeyScope = {
    ...(tools === undefined ? {} : { tools }),
    ...(maxCreditsPerCall === undefined ? {} : { maxCreditsPerCall }),
    ...(mayIssueKeys ? { mayIssueKeys } : {}),
  }
  return Object.keys(scope).length === 0 ? undefined : scope
}

/**
 * The scope of a login on a key with this scope. A login issues no keys: they would outlive it, and
 * the person who allowed its client was not asked.
 */
export function toLoginScope(scope: KeyScope | undefined): KeyScope | undefined {
  const { mayIssueKeys: _, ...limits } = scope ?? {}
  return Object.keys(limits).length === 0 ? undefined : limits
}
