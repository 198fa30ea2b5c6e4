/**
 * A backtracking matcher as ECMA-262 22.2.2 writes it down, which counts the characters that it tries and
 * the assertions that it meets. Slow on purpose: what the bound of a pattern is held against.
 */
import type { PatternNode } from '../../../adapters/formats/pattern-syntax.ts'

type Then = (at: number) => boolean
type Run = { readonly text: readonly string[]; steps: number; readonly isBehind: boolean }

/** As `RegExp.prototype.test`: at each place of the text until one attempt succeeds. */
export function stepsTaken(
  root: PatternNode,
  text: string,
): { readonly matches: boolean; readonly steps: number } {
  const run: Run = { text: [...text], steps: 0, isBehind: false }
  for (let at = 0; at <= run.text.length; at += 1) {
    if (match(run, root, at, () => true)) return { matches: true, steps: run.steps }
  }
  return { matches: false, steps: run.steps }
}

function match(run: Run, node: PatternNode, at: number, then: Then): boolean {
  switch (node.kind) {
    case 'letter':
      return matchLetter(run, node.text, at, then)
    case 'start':
      run.steps += 1
      return at === 0 && then(at)
    case 'assertion':
      run.steps += 1
      return holds(run, node.text, at) && then(at)
    case 'look':
      run.steps += 1
      return looks(run, node, at) && then(at)
    case 'sequence':
      return matchAll(run, node.parts, at, then)
    case 'choice':
      return node.parts.some((part) => match(run, part, at, then))
    case 'repeat':
      return repeat(run, node, { at, done: 0 }, then)
    default:
      return node satisfies never
  }
}

function matchLetter(run: Run, letter: string, at: number, then: Then): boolean {
  run.steps += 1
  const character = run.text[run.isBehind ? at - 1 : at]
  if (character === undefined || !new RegExp(`^(?:${letter})$`, 'u').test(character)) return false
  return then(run.isBehind ? at - 1 : at + 1)
}

function matchAll(run: Run, parts: readonly PatternNode[], at: number, then: Then): boolean {
  const [first, ...rest] = parts
  if (first === undefined) return then(at)
  return match(run, first, at, (next) => matchAll(run, rest, next, then))
}

type Repeat = Extract<PatternNode, { kind: 'repeat' }>

/** Greedy: which way is tried first says nothing about all ways. An empty round past `min` is cut. */
function repeat(
  run: Run,
  node: Repeat,
  { at, done }: { readonly at: number; readonly done: number },
  then: Then,
): boolean {
  const again = (next: number) => {
    if (done >= node.min && next === at) {
      run.steps += 1
      return false
    }
    return repeat(run, node, { at: next, done: done + 1 }, then)
  }
  if (done < node.min) return match(run, node.body, at, again)
  return (done < node.max && match(run, node.body, at, again)) || then(at)
}

function holds({ text }: Run, assertion: string, at: number): boolean {
  if (assertion === '$') return at === text.length
  const isWord = (character: string | undefined) => /^\w$/.test(character ?? '')
  return (isWord(text[at - 1]) !== isWord(text[at])) === (assertion === '\\b')
}

function looks(run: Run, node: Extract<PatternNode, { kind: 'look' }>, at: number): boolean {
  const inside = { ...run, steps: 0, isBehind: node.opens.startsWith('(?<') }
  const found = match(inside, node.body, at, () => true)
  run.steps += inside.steps
  return found === !node.opens.endsWith('!')
}
