// A buffered handler: gives back what it was given and where it runs, so that tests can look.

let served = 0
let ticks = 0
setInterval(() => {
  ticks += 1
}, 20).unref()

export const handler = async (event, context) => {
  const path = event.rawPath ?? event.path
  if (path === '/fail') throw new RangeError('refused by the handler')
  if (path === '/bare') return { just: 'json' }
  if (path.startsWith('/slow')) await fetch(process.env.GATE_URL + path)
  served += 1
  const { awsRequestId, invokedFunctionArn, functionName } = context
  const remainingMs = context.getRemainingTimeInMillis()
  const seen = { event, served, ticks, pid: process.pid, node: process.version, env: process.env }
  return {
    statusCode: 201,
    headers: { 'X-Served': served, 'WWW-Authenticate': 'Bearer' },
    body: JSON.stringify({ ...seen, awsRequestId, invokedFunctionArn, functionName, remainingMs }),
  }
}

export const three = async (_event, _context, _callback) => 'never: Node 24 takes no callbacks'
