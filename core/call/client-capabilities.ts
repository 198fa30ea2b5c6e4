/**
 * The capabilities a client must have declared before it can be asked a question (MCP
 * ClientCapabilities). A server must not ask for more, and a client that is asked drops the call.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import type { InputQuestions, InputRequest } from '../response/input-required.ts'

/** The capabilities these requests need and `declared` lacks; undefined when none is missing. */
export function missingCapabilities(
  { inputRequests }: Pick<InputQuestions, 'inputRequests'>,
  declared: JsonObject,
): JsonObject | undefined {
  const missing: { [name: string]: JsonObject } = {}
  for (const request of Object.values(inputRequests)) {
    const [name, part] = neededBy(request)
    const own = declared[name]
    if (isJsonObject(own) && (part === undefined || hasPart(own, part))) continue
    // A bare `elicitation: {}` implies `form`, so a client without it need not name the part.
    const isNamed = part === undefined || (part === 'form' && own === undefined)
    missing[name] = { ...missing[name], ...(isNamed ? {} : { [part]: {} }) }
  }
  return Object.keys(missing).length === 0 ? undefined : missing
}

type Part = 'form' | 'url' | 'tools'

function neededBy({ method, params }: InputRequest): readonly [name: string, part?: Part] {
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
  return isThere(tools) || isThere(toolChoice)
}

function isThere(value: Json | undefined): boolean {
  return value !== undefined && value !== null
}

/** `{}` has always meant that forms are shown; `url` alone means that they are not. */
function hasPart(own: JsonObject, part: Part): boolean {
  return isJsonObject(own[part]) || (part === 'form' && !isThere(own['url']))
}
