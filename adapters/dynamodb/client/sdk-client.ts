/** The AWS SDK's client, as functions open it whose start nobody waits for. It reads the environment itself. */
import { dynamoClient } from './client.ts'
import type { FunctionClient } from './function-client.ts'
import { sdkRequests } from './sdk-store.ts'

export const sdkClient: FunctionClient<never> = {
  needs: [],
  open: () => sdkRequests(dynamoClient({})),
}
