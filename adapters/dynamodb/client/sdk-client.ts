/** The AWS SDK client, for functions that no agent waits for. The SDK reads the environment. */
import { dynamoClient } from './client.ts'
import { sdkRequests } from './sdk-store.ts'
import type { FunctionClient } from './store-requests.ts'

export const sdkClient: FunctionClient<never> = {
  needs: [],
  open: () => sdkRequests(dynamoClient({})),
}
