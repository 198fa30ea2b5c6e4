/**
 * Finds words that this code no longer uses, each with the word that took its place: a reader should meet
 * one name for a thing, and the term of the field before one of ours. The change log may name them.
 */
import { type Fault, lineAt, type Text } from './text.ts'

type OldWord = { readonly pattern: RegExp; readonly instead: string }

const OLD_WORDS: readonly OldWord[] = [
  // Participles do not say what the value is.
  {
    pattern:
      /\b(?:type|interface|class) (?:Called|Posted|Served|Executed|Begun|Ran|OneSend|Exchanged|Made|Judged)\b/g,
    instead: 'name the outcome by a noun: ToolOutcome, HttpReply, Reservation',
  },
  {
    pattern: /\b(?:write|sweep|stream)(?:'s)?[ -]?marks?\b/gi,
    instead: 'say writeToken, sweepEntry, listVersion or watermark',
  },
  {
    pattern: /\blegacy[ :-](?:asked|credits?|keys?|records?|services?|tiers?|users?)\b/gi,
    instead: 'records of the earlier service are v0; legacy is an era of MCP',
  },
  { pattern: /\binputAnswers\b/g, instead: 'say clientResponses' },
  { pattern: /\bcallRecords\b/g, instead: 'say callLookup' },
  { pattern: /\bports\.answers\b/g, instead: 'say idempotencyRecords' },
  { pattern: /\bports\.minutes\b/g, instead: 'say rateCounters' },
  { pattern: /\bports\.broadcast\b/g, instead: 'say toolListVersion' },
  { pattern: /\badapters\/peers\b/g, instead: 'the room is adapters/internal-http' },
  { pattern: /\bmemory\/(?:shelf|shelves)\b/g, instead: 'the file is memory/table' },
  { pattern: /\bmemory\/cells\b/g, instead: 'the file is memory/database' },
  { pattern: /\bsign-?posts?\b/gi, instead: 'say not-found-hints' },
  { pattern: /\b[A-Z0-9_]+_TOUCHES\b|\btouches:/g, instead: 'say permissions' },
]

export function oldWords({ all, path, prose }: Text): readonly Fault[] {
  const faults = OLD_WORDS.flatMap(({ instead, pattern }) =>
    [...all.matchAll(pattern), ...prose.matchAll(pattern)].map((match) => ({
      path,
      line: lineAt(all, match.index),
      problem: `“${match[0].replaceAll(/\s+/g, ' ')}” is a word of before: ${instead}`,
    })),
  )
  return faults.filter(
    (fault, index) =>
      faults.findIndex((one) => one.line === fault.line && one.problem === fault.problem) === index,
  )
}
