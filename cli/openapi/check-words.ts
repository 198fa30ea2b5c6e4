/**
 * Checks the tags and operations of a command line against the document, before anything is sent. A
 * word that matches nothing is a slip: the command would change what is not meant.
 */
import type { JsonObject } from '../../core/json/json.ts'
import { listOperations, type Operation } from '../../core/openapi/operation.ts'
import { matchesGlob } from '../../core/openapi/selection.ts'
import { findNearest } from '../../core/settings/nearest.ts'
import { getOptions, type Invocation } from '../command/command.ts'
import { toUsageFault } from '../terminal/exit-code.ts'

/** Throws a usage fault that names the word and what was probably meant. */
export function checkWords(call: Invocation, document: JsonObject, names: readonly string[]): void {
  const { operations } = listOperations(document)
  const tags = [...new Set(operations.flatMap((one) => one.tags))]
  const words = operations.flatMap(toWords)
  for (const flag of ['tag', 'exclude-tag']) {
    const wrong = getOptions(call, flag).find((tag) => !tags.includes(tag))
    if (wrong !== undefined)
      throw toFault(`--${flag}: no operation has the tag ${wrong}.`, wrong, tags)
  }
  for (const flag of ['operation', 'exclude-operation']) {
    const wrong = getOptions(call, flag).find(
      (glob) => !words.some((one) => matchesGlob(glob, one)),
    )
    if (wrong !== undefined)
      throw toFault(`--${flag}: no operation is called ${wrong}.`, wrong, words)
  }
  const wrong = names.find((name) => !words.includes(name))
  if (wrong !== undefined) throw toFault(`--name: no operation is called ${wrong}.`, wrong, words)
}

function toWords({ key, operationId }: Operation): readonly string[] {
  return operationId === undefined ? [key] : [operationId, key]
}

function toFault(message: string, word: string, words: readonly string[]) {
  const nearest = findNearest(word, words)
  const list = 'skillgate import openapi ls lists them.'
  return toUsageFault(message, nearest === undefined ? list : `Did you mean ${nearest}? ${list}`)
}
