/**
 * The fixtures of the scenarios about tasks: ordinary skills with `config.task`, whose upstream takes
 * longer than a second. The suite names them without a prefix; prefix-proxy.ts adds it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { type ToolAnswer, texts } from './answers.ts'
import { elicitation, isObject, type QuestionCall, required, roots } from './questions.ts'

export type TaskTool = {
  /** As in `config.task`; undefined for a tool that no task is made for. */
  readonly task?: { readonly max_sec: number; readonly required?: boolean }
  readonly properties: { readonly [name: string]: object }
  readonly answer: (asked: QuestionCall) => ToolAnswer | Promise<ToolAnswer>
}

/** Over the second after which a call becomes a task. */
const LONG_MS = 1_500
const TASK = { max_sec: 120 }

export const TASK_TOOLS: ReadonlyMap<string, TaskTool> = new Map<string, TaskTool>([
  [
    'test_greet',
    {
      properties: { name: { type: 'string' } },
      answer: ({ args }) => texts(`Hello, ${String(args['name'])}!`),
    },
  ],
  [
    'test_slow_compute',
    {
      task: TASK,
      properties: { seconds: { type: 'number' }, label: { type: 'string' } },
      answer: async ({ args }) => {
        const seconds = Number(args['seconds'] ?? 0)
        if (seconds > 0) await wait(seconds * 1_000 + LONG_MS - 1_000)
        return texts(`Computed ${String(args['label'])}.`)
      },
    },
  ],
  [
    'test_failing_job',
    {
      task: { ...TASK, required: true },
      properties: {},
      answer: async () => {
        await wait(LONG_MS)
        return { status: 500, body: { error: 'This job always fails.' } }
      },
    },
  ],
  // It asks for what no client of the suite can do, which is an error of the protocol.
  [
    'test_protocol_error_job',
    {
      task: TASK,
      properties: {},
      answer: async () => {
        await wait(LONG_MS)
        return required({ roots: roots() })
      },
    },
  ],
  [
    'test_confirm_delete',
    {
      task: TASK,
      properties: { filename: { type: 'string' } },
      answer: (asked) => askInTask(asked, ['confirm']),
    },
  ],
  [
    'test_multi_input',
    { task: TASK, properties: {}, answer: (asked) => askInTask(asked, ['first', 'second']) },
  ],
  [
    'test_tool_with_task',
    {
      task: { ...TASK, required: true },
      properties: {},
      answer: async ({ responses }) => {
        if (!isObject(responses['user_name'])) return required({ user_name: askFor('name') })
        await wait(LONG_MS)
        return texts(JSON.stringify(responses['user_name']))
      },
    },
  ],
])

/** Asks once the call is a task, until every question has its answer. */
async function askInTask(
  { responses }: QuestionCall,
  keys: readonly string[],
): Promise<ToolAnswer> {
  if (keys.every((key) => isObject(responses[key]))) return texts('Done.')
  await wait(LONG_MS)
  return required(Object.fromEntries(keys.map((key) => [key, askFor(key)])))
}

function askFor(name: string): object {
  const properties = { [name]: { type: name === 'confirm' ? 'boolean' : 'string' } }
  return elicitation(`Please give: ${name}.`, { type: 'object', properties })
}

/** A job of a minute that nobody waits for does not keep the process. */
function wait(ms: number): Promise<void> {
  return delay(ms, undefined, { ref: false })
}
