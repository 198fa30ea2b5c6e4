/**
 * The SDK's client without the steps that a store in this process makes needless: endpoint rules, user
 * agent, signature and logs took two thirds of a request's time. Marshalling, serialisation, retries with
 * their budget, and the reading of answers and errors are the SDK's own objects.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { getRetryPlugin, StandardRetryStrategy } from '@smithy/core/retry'
import { getSchemaSerdePlugin } from '@smithy/core/schema'
import { dynamoClient } from '../../../adapters/dynamodb/client/client.ts'
import { ATTEMPTS_MAX } from '../../../adapters/dynamodb/client/limits.ts'

type Handler = (args: object) => Promise<object>
type Step = (next: Handler, context: object) => Handler
/** What a plugin, or another stack, puts its steps into. */
type Receiver = {
  add(step: Step, options: { readonly name?: string }): void
  addRelativeTo(step: Step, options: { readonly name?: string }): void
}
type Plugin = { applyToStack(receiver: Receiver): void }
type Steps = ReadonlyMap<string, Step>

/** The steps of a request from the command to the connection, by the SDK's names. */
const ORDER = [
  'DocumentMarshall',
  'serializerMiddleware',
  'retryMiddleware',
  'DocumentUnmarshall',
  'deserializerMiddleware',
]
/** Brought by the document client's commands alone. */
const OF_DOCUMENTS = ['DocumentMarshall', 'DocumentUnmarshall']
/** Brought by each command, and needless here. A step of any other name is a fault. */
const NEEDLESS = ['endpointV2Middleware']

/** The gateway's own client, for what it is made of. It never sends. */
const OWN = dynamoClient({ endpoint: 'http://127.0.0.1:9' }).config
const [STRATEGY, ENDPOINT] = [await OWN.retryStrategy(), await OWN.endpoint?.()]
const { base64Decoder, base64Encoder, protocol, streamCollector, utf8Decoder, utf8Encoder } = OWN
const CODECS = { base64Decoder, base64Encoder, streamCollector, utf8Decoder, utf8Encoder }
const SERDE = { ...CODECS, protocol, endpoint: async () => ENDPOINT }
const SERDE_STEPS = stepsOf(getSchemaSerdePlugin(SERDE as never) as unknown as Plugin)

/** `handle` takes a request as it would go over the wire. Each client has a retry budget of its own. */
export function shortClient(handle: (request: never) => Promise<object>): DynamoDBClient {
  const strategy = freshStrategy()
  const retries = {
    retryStrategy: async () => strategy,
    maxAttempts: async () => ATTEMPTS_MAX,
  }
  const plugin = getRetryPlugin(retries as never) as unknown as Plugin
  const steps = new Map([...SERDE_STEPS, ...stepsOf(plugin)])
  const config = { requestHandler: { handle }, protocol }
  const middlewareStack = stackOf(steps)
  const send = async (command: Command) => {
    const { output } = await command.resolveMiddleware(middlewareStack, config)(command)
    return output
  }
  return { config, middlewareStack, send } as unknown as DynamoDBClient
}

type Command = {
  resolveMiddleware(
    stack: object,
    config: object,
  ): (command: Command) => Promise<{ readonly output: unknown }>
}

function freshStrategy(): StandardRetryStrategy {
  if (!(STRATEGY instanceof StandardRetryStrategy)) throw new Error('the SDK retries otherwise')
  const baseDelay: unknown = Reflect.get(STRATEGY, 'baseDelay')
  return new StandardRetryStrategy({ maxAttempts: ATTEMPTS_MAX, baseDelay: Number(baseDelay) })
}

/** As much of the SDK's `MiddlewareStack` as the document client and its commands use. */
function stackOf(steps: Steps) {
  return {
    identify: () => [...steps.keys()],
    concat: (other: Plugin) => stackOf(new Map([...steps, ...stepsOf(other)])),
    resolve: (handler: Handler, context: object) =>
      ORDER.reduceRight((next, name) => {
        const step = steps.get(name)
        if (step !== undefined) return step(next, context)
        if (OF_DOCUMENTS.includes(name)) return next
        throw new Error(`the SDK brings no step ${name}`)
      }, handler),
  }
}

function stepsOf(plugin: Plugin): Steps {
  const steps = new Map<string, Step>()
  const take: Receiver['add'] = (step, { name = '' }) => {
    if (NEEDLESS.includes(name)) return
    if (!ORDER.includes(name)) throw new Error(`the SDK has another step: ${name}`)
    steps.set(name, step)
  }
  plugin.applyToStack({ add: take, addRelativeTo: take })
  return steps
}
