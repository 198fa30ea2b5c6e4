/**
 * tools/call of a built-in tool: authenticate, count the key's minute, answer. Free, no upstream,
 * nothing goes to execute. Searching works without a key, over what is listed without one, and
 * counts as such a list; the others are about a user. Bound by docs/service.md, Built-in tools.
 */
import { failureMessage } from '../../call/failure-messages.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Profile } from '../../ledger/ledger.ts'
import { textResult } from '../../mcp/text-result.ts'
import type { Ports } from '../../ports.ts'
import type { Settings } from '../../settings.ts'
import type { BuiltInName } from '../../skills/built-in.ts'
import { authenticate } from '../access/authenticate.ts'
import { type CountedRequest, countAnonymousList, countRequest } from '../access/count-request.ts'
import type { LedgerReadNeeds } from '../accounts/read-ledger.ts'
import { withLateCredits } from '../migration/v0-view.ts'
import type { ListToolsNeeds } from './merge-tool-layers.ts'
import { searchSkills } from './search-skills.ts'
import { showAccount } from './show-account.ts'
import { showUsage } from './show-usage.ts'
import type { ToolListCache } from './tool-list-cache.ts'
import { resultOf, type ToolOutcome } from './tool-outcome.ts'

export type BuiltInNeeds = LedgerReadNeeds &
  ListToolsNeeds &
  Pick<Ports, 'digests' | 'keys' | 'rateCounters' | 'profiles'> & {
    /** Moves nothing. */
    readonly v0: Pick<Ports['v0'], 'read'>
  }

export type BuiltInCall = {
  readonly authorization: string | undefined
  readonly arguments: JsonObject
  /** What this environment knows of tool lists: searching reads it and adds to it. */
  readonly lists: ToolListCache
}

/** Throws `Fault` when the store does not answer. */
export async function callBuiltIn(
  ports: BuiltInNeeds,
  settings: Settings,
  name: BuiltInName,
  call: BuiltInCall,
): Promise<ToolOutcome> {
  const who = await authenticate(ports, call.authorization)
  switch (who.kind) {
    case 'refused':
      return { kind: 'unauthenticated', refusal: who.refusal }
    case 'anonymous':
      return name === 'search_skills'
        ? searchAnonymously(ports, settings, call)
        : failed(failureMessage({ code: 'unauthenticated' }))
    case 'principal': {
      const counted = await countRequest(ports, settings, who.principal)
      if (!counted.ok) return failed(failureMessage(counted.error))
      const { profile, ...minute } = counted.value
      if (profile === undefined) {
        return failed('This key belongs to no user any more. Ask your administrator.')
      }
      return resultOf(await answerUser(ports, settings, name, call, { profile, minute, ...who }))
    }
    default:
      return who satisfies never
  }
}

type Caller = Extract<Awaited<ReturnType<typeof authenticate>>, { kind: 'principal' }> & {
  readonly profile: Profile
  readonly minute: Pick<CountedRequest, 'remaining' | 'resetSec'>
}

async function answerUser(
  ports: BuiltInNeeds,
  settings: Settings,
  name: BuiltInName,
  { arguments: args, lists }: BuiltInCall,
  { minute, principal, profile }: Caller,
) {
  switch (name) {
    case 'account':
      return showAccount(settings, await withLateCredits(ports, profile), minute, args)
    case 'search_skills': {
      const lister = { ...principal, skillsChangedAtMs: profile.skillsChangedAtMs }
      return searchSkills(ports, settings, lists, lister, args)
    }
    case 'usage':
      return showUsage(ports, profile, args)
    default:
      return name satisfies never
  }
}

async function searchAnonymously(
  ports: BuiltInNeeds,
  settings: Settings,
  { arguments: args, lists }: BuiltInCall,
): Promise<ToolOutcome> {
  const counted = await countAnonymousList(ports)
  if (!counted.ok) return failed(failureMessage(counted.error))
  return resultOf(await searchSkills(ports, settings, lists, undefined, args))
}

function failed(text: string): ToolOutcome {
  return resultOf(textResult(text, true))
}
