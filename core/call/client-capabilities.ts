/**
 * Finds the capabilities that a client must declare before a call may ask it a question (MCP,
 * ClientCapabilities). A server must not send other questions: a client without the capability
 * drops the call.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import type { InputQuestions, InputRequest } from '../response/input-required.ts'

/** Returns the capabilities that the requests need and `declared` lacks; undefined if none is. */
export function findMissingCapabilities(
  { inputRequests }: Pick<InputQuestions, 'inputRequests'>,
  declared: JsonObject,
): JsonObject | undefined {
  const missing: { [name: string]: JsonObject } = {}
  for (const request of Object.values(inputRequests)) {
    const [name, part] = findNeeded(request)
    const own = declared[name]
    if (isJsonObject(own) && (part === undefined || hasPart(own, part))) continue
    // `elicitation: {}` implies `form`, so the answer need not name that part.
    const isNamed = part === undefined || (part === 'form' && own === undefined)
    missing[name] = { ...missing[name], ...(isNamed ? {} : { [part]: {} }) }
  }
  return Object.keys(missing).length === 0 ? undefined : missing
}

type Part = 'form' | 'url' | 'tools'

function findNeeded({ method, params }: InputRequest): readonly [name: string, part?: Part] {
  switch (method) {
    case 'elicitation/create':
      return ['elicitation', params['mode'] === 'url' ? 'url' : 'form']
    case 'sampling/createMessage':
      return wantsTools(params) ? ['sampling', 'tools'] : ['sampling']
    case 'roots/list':
      return ['roots']
    default:
      return method satisfies never
  }
}

function wantsTools({ tools, toolChoice }: JsonObject): boolean {
  return isSet(tools) || isSet(toolChoice)
}

function isSet(value: Json | undefined): boolean {
  return value !== undefined && value !== null
}

/** `elicitation: {}` means that the client shows forms; `url` alone means that it does not. */
function hasPart(own: JsonObject, part: Part): boolean {
  return isJsonObject(own[part]) || (part === 'form' && !isSet(own['url']))
}
