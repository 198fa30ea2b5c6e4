import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import software.amazon.dynamodb.services.local.main.ServerRunner;
import software.amazon.dynamodb.services.local.server.DynamoDBProxyServer;

/**
 * DynamoDB Local, reachable from this machine only. Its own main class listens on every address and has no
 * option for that, so the address is set on its Jetty connectors between construction and start. The field
 * that holds the Jetty server is private; its name is that of version 3.1.0.
 */
public class LoopbackDynamoDb {
  public static void main(String[] args) throws Exception {
    DynamoDBProxyServer dynamo = ServerRunner.createServerFromCommandLineArgs(args);
    var jetty = DynamoDBProxyServer.class.getDeclaredField("server");
    jetty.setAccessible(true);
    for (Connector connector : ((Server) jetty.get(dynamo)).getConnectors()) {
      ((ServerConnector) connector).setHost("127.0.0.1");
    }
    dynamo.start();
    dynamo.join();
  }
}
