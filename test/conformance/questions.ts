/**
 * The fixtures that must ask the agent's client before they can answer: an mcp upstream says
 * `input_required`, and is called again with the answers (`{{input.responses}}`). Keys, messages
 * and schemas are those that the official suite expects.
 */

import { type ToolAnswer, texts } from './answers.ts'
import { enumSchema } from './enum-schema.ts'

/** The members of a fixture's body template; members without a value are null or absent. */
export type QuestionCall = {
  readonly args: { readonly [name: string]: unknown }
  readonly responses: { readonly [key: string]: unknown }
  readonly state: string | undefined
  readonly capabilities: { readonly [name: string]: unknown }
}
type Requests = { readonly [key: string]: object }
export type AskingTool = (asked: QuestionCall) => ToolAnswer

const NAME = stringsSchema(['name'])
const CONFIRM = {
  type: 'object',
  properties: { ok: { type: 'boolean' } },
  required: ['ok'],
}
const USER = {
  type: 'object',
  properties: {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  },
  required: ['username', 'email'],
}
const DEFAULTS = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
  required: [],
}

export const ASKING_TOOLS: ReadonlyMap<string, AskingTool> = new Map([
  [
    'test_sampling',
    (asked: QuestionCall) => once(asked, { answer: sampling(textOf(asked, 'prompt')) }),
  ],
  [
    'test_elicitation',
    (asked: QuestionCall) => once(asked, { answer: elicitation(textOf(asked, 'message'), USER) }),
  ],
  [
    'test_elicitation_sep1034_defaults',
    (asked: QuestionCall) =>
      once(asked, { answer: elicitation('Please check the defaults', DEFAULTS) }),
  ],
  [
    'test_elicitation_sep1330_enums',
    (asked: QuestionCall) => once(asked, { answer: elicitation('Please choose', enumSchema) }),
  ],
  [
    'test_missing_capability',
    (asked: QuestionCall) => once(asked, { answer: sampling('Say hello') }),
  ],
  [
    'test_streaming_elicitation',
    (asked: QuestionCall) => once(asked, { answer: elicitation('What is your name?', NAME) }),
  ],
  [
    'test_input_required_result_elicitation',
    (asked: QuestionCall) => once(asked, { user_name: elicitation('What is your name?', NAME) }),
  ],
  [
    'test_input_required_result_sampling',
    (asked: QuestionCall) =>
      once(asked, { capital_question: sampling('What is the capital of France?') }),
  ],
  [
    'test_input_required_result_list_roots',
    (asked: QuestionCall) => once(asked, { client_roots: roots() }),
  ],
  [
    'test_input_required_result_request_state',
    (asked: QuestionCall) =>
      once(asked, { confirm: elicitation('Please confirm', CONFIRM) }, 'confirming'),
  ],
  [
    'test_input_required_result_tampered_state',
    (asked: QuestionCall) =>
      once(asked, { confirm: elicitation('Please confirm', CONFIRM) }, 'untouched'),
  ],
  [
    'test_input_required_result_multiple_inputs',
    (asked: QuestionCall) =>
      once(
        asked,
        {
          user_name: elicitation('What is your name?', NAME),
          greeting: sampling('Generate a greeting'),
          client_roots: roots(),
        },
        'three at once',
      ),
  ],
  ['test_input_required_result_multi_round', askTwice],
  ['test_input_required_result_capabilities', askWhatItCan],
])

/** Asks until every request has an answer; with `state`, only answers that return it count. */
function once(asked: QuestionCall, requests: Requests, state?: string): ToolAnswer {
  const isAnswered = Object.keys(requests).every((key) => isObject(asked.responses[key]))
  if (!isAnswered || asked.state !== state) return required(requests, state)
  const kept = state === undefined ? '' : 'state-ok: '
  return texts(`${kept}${JSON.stringify(asked.responses)}`)
}

function askTwice(asked: QuestionCall): ToolAnswer {
  const { responses, state } = asked
  if (state === 'second' && isObject(responses['step2'])) return texts('Both steps are done.')
  if (state === 'first' && isObject(responses['step1'])) {
    const color = stringsSchema(['color'])
    return required({ step2: elicitation('Step 2: What is your favorite color?', color) }, 'second')
  }
  return required({ step1: elicitation('Step 1: What is your name?', NAME) }, 'first')
}

/** One request for each capability that the client declares, so that no request exceeds them. */
function askWhatItCan(asked: QuestionCall): ToolAnswer {
  const all = new Map<string, object>([
    ['elicitation', elicitation('What is your name?', NAME)],
    ['sampling', sampling('Say hello')],
    ['roots', roots()],
  ])
  const possible = [...all].filter(([name]) => isObject(asked.capabilities[name]))
  return once(asked, Object.fromEntries(possible))
}

export function required(inputRequests: Requests, requestState?: string): ToolAnswer {
  const state = requestState === undefined ? {} : { requestState }
  return { body: { resultType: 'input_required', inputRequests, ...state } }
}

export function elicitation(message: string, requestedSchema: object): object {
  return { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } }
}

function sampling(text: string): object {
  const messages = [{ role: 'user', content: { type: 'text', text } }]
  return { method: 'sampling/createMessage', params: { messages, maxTokens: 100 } }
}

export function roots(): object {
  return { method: 'roots/list', params: {} }
}

function stringsSchema(names: readonly string[]): object {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  return { type: 'object', properties, required: names }
}

function textOf(asked: QuestionCall, name: string): string {
  return String(asked.args[name] ?? '')
}

export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
