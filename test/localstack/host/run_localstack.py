"""Starts LocalStack 4.14 in this process, changed in six places; no installed file is edited.

1. The gateway listens on the address of GATEWAY_LISTEN. LocalStack reads the port alone and listens on all addresses.
2. DynamoDB Local comes from the jars in DYNAMODB_LOCAL_JARS and runs on the `java` of the PATH, on 127.0.0.1.
   LocalStack would download an archive and a Java of its own, and start it inside an agent that only lifts the
   limit of 20 global secondary indexes.
3. Where LAMBDA_LOCAL_NODE names a node, functions run as its child processes (node_executor.py) and not in Docker.
4. CloudFormation keeps resources with DeletionPolicy RetainExceptOnCreate, which LocalStack deletes, and calls a
   failed update UPDATE_ROLLBACK_COMPLETE. LocalStack calls it ROLLBACK_COMPLETE, as a failed create, and then the CDK
   deletes the stack. Neither of them rolls the changes back.
5. CloudFormation updates an alias of a function. LocalStack makes it anew when the function changes, and else leaves
   it as it is.
6. UpdateAlias takes weights, at which LocalStack fails: it does not pass the version on with which it compares them.

The names that are replaced are internal to LocalStack: they fit the version that requirements.txt pins.
"""

import os
from pathlib import Path

from localstack import config
from localstack.aws.api.cloudformation import ChangeSetType, StackStatus
from localstack.services.cloudformation.engine.v2 import change_set_model_executor as executor
from localstack.services.cloudformation.engine.v2 import change_set_model_preproc as preproc
from localstack.services.cloudformation.resource_provider import OperationStatus, ProgressEvent
from localstack.services.dynamodb.packages import DynamoDBLocalPackageInstaller
from localstack.services.dynamodb.server import DynamodbServer
from localstack.services.lambda_.invocation.lambda_models import AliasRoutingConfig
from localstack.services.lambda_.provider import LambdaProvider
from localstack.services.lambda_.resource_providers.lambda_alias import LambdaAliasProvider
from twisted.internet import endpoints

HERE = Path(__file__).parent


def keep_gateway_on_its_address():
    listen = endpoints.TCP4ServerEndpoint

    def listen_where_told(reactor, port, backlog=50, interface=""):
        told = [address.host for address in config.GATEWAY_LISTEN if address.port == port]
        return listen(reactor, port, backlog, interface or (told[0] if told else ""))

    endpoints.TCP4ServerEndpoint = listen_where_told


def take_dynamodb_from(jars):
    DynamoDBLocalPackageInstaller.install = lambda self, target=None: None
    DynamoDBLocalPackageInstaller.get_installed_dir = lambda self: jars
    DynamoDBLocalPackageInstaller.get_java_env_vars = lambda self: {}
    shell_command = DynamodbServer._create_shell_command

    def loopback_command(self):
        words = shell_command(self)
        # What follows `-jar <file>` are DynamoDB Local's own options: port, in memory, shared, and so on.
        options = words[words.index("-jar") + 2 :]
        java = ["java", f"-Xmx{self.heap_size}", f"-Djava.library.path={jars}", "-cp", f"{jars}/*"]
        return [*java, str(HERE / "LoopbackDynamoDb.java"), *options, "-disableTelemetry"]

    DynamodbServer._create_shell_command = loopback_command


def keep_what_is_there(template, earlier, reached):
    """Gives a template the resources that exist: what was reached as it is now, and the others as they were."""
    before, after = earlier.get("Resources", {}), template["Resources"]
    there = {name: after[name] if name in reached else before.get(name) for name in after}
    template["Resources"] = {name: one for name, one in there.items() if one is not None}
    template["Outputs"] = earlier.get("Outputs", {})


def let_stacks_go_on():
    class_of_resource = preproc.PreprocResource
    init = class_of_resource.__init__

    def init_kept(self, *args, **named):
        init(self, *args, **named)
        if self.deletion_policy == preproc.DeletionPolicy.RetainExceptOnCreate:
            self.deletion_policy = preproc.DeletionPolicy.Retain
        # A reference to a function that changes would count as another function.
        if self.resource_type == "AWS::Lambda::Alias":
            self.requires_replacement = False

    class_of_resource.__init__ = init_kept
    execute = executor.ChangeSetModelExecutor.execute

    def execute_update(self):
        stack = self._change_set.stack
        earlier, had = stack.template or {}, dict(stack.resolved_resources)
        result = execute(self)
        if result.failure_message and self._change_set.change_set_type == ChangeSetType.UPDATE:
            stack.set_stack_status(StackStatus.UPDATE_ROLLBACK_COMPLETE)
            # LocalStack would forget the resources that the update had not reached, and the properties of a refused one.
            refused = [name for name, one in result.resources.items() if str(one.get("ResourceStatus")).endswith("FAILED")]
            reached = {name: one for name, one in result.resources.items() if name not in refused}
            for template in (self._change_set.template, self._change_set.processed_template):
                keep_what_is_there(template, earlier, reached)
            result.resources = {**had, **reached}
        return result

    executor.ChangeSetModelExecutor.execute = execute_update


def let_updates_move_aliases():
    def update(self, request):
        model = {**request.previous_state, **request.desired_state}
        names = ("FunctionName", "Name", "FunctionVersion")
        request.aws_client_factory.lambda_.update_alias(**{name: model[name] for name in names})
        return ProgressEvent(status=OperationStatus.SUCCESS, resource_model=model)

    LambdaAliasProvider.update = update


def let_aliases_have_weights():
    create = LambdaProvider._create_routing_config_model

    def create_from_update(self, weights, *version):
        return create(self, weights, *version) if version else AliasRoutingConfig(version_weights=weights)

    LambdaProvider._create_routing_config_model = create_from_update


if __name__ == "__main__":
    let_stacks_go_on()
    let_updates_move_aliases()
    let_aliases_have_weights()
    keep_gateway_on_its_address()
    take_dynamodb_from(os.environ["DYNAMODB_LOCAL_JARS"])
    if os.environ.get("LAMBDA_LOCAL_NODE"):
        import node_executor

        node_executor.install(node=os.environ["LAMBDA_LOCAL_NODE"])

    from localstack.runtime.main import main

    main()
