#!/usr/bin/env bash
# Apache HttpClient 4.5.14 (Debian 12, with the machine's Java 17 or later): a form loses the letters that Latin-1 lacks.
#
# Most would guess: a Java string goes into a form as UTF-8, as a browser, curl, Python and Node send it; or an exception
# says that it doesn't fit.
# What is true: `new UrlEncodedFormEntity(fields)` uses ISO-8859-1 and declares nothing, so "ö" is sent as the byte F6, which
# the server can only guess. `MultipartEntityBuilder.addTextBody(name, text)` uses it and says so in the part, which few
# servers read; `setCharset(UTF_8)` of that builder changes nothing about it. What the charset lacks becomes a question mark,
# without an exception: "Привет €" is sent as "?????? ?". Only `new UrlEncodedFormEntity(fields, UTF_8)` sends what it was.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
{ apt-get update && apt-get download libhttpclient-java=4.5.14-1 libhttpmime-java=4.5.14-1 libhttpcore-java=4.4.16-1 \
  libcommons-logging-java=1.2-3; } >install.log 2>&1 || { cat install.log; exit 1; }
for package in *.deb; do dpkg -x "$package" java; done

cat >Form.java <<'JAVA'
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.http.HttpEntity;
import org.apache.http.client.entity.UrlEncodedFormEntity;
import org.apache.http.entity.mime.MultipartEntityBuilder;
import org.apache.http.message.BasicNameValuePair;

class Form {
  static final String TEXT = "Sch\u00f6n, \u041f\u0440\u0438\u0432\u0435\u0442 \u20ac";

  static String bodyOf(HttpEntity entity) throws Exception {
    var bytes = new ByteArrayOutputStream();
    entity.writeTo(bytes);
    return bytes.toString(StandardCharsets.ISO_8859_1);
  }

  public static void main(String[] arguments) throws Exception {
    var fields = List.of(new BasicNameValuePair("text", TEXT));
    var plain = new UrlEncodedFormEntity(fields);
    System.out.println("default:   " + plain.getContentType().getValue() + "  " + bodyOf(plain));
    System.out.println("UTF_8:     " + bodyOf(new UrlEncodedFormEntity(fields, StandardCharsets.UTF_8)));
    var parts = MultipartEntityBuilder.create().setBoundary("x").setCharset(StandardCharsets.UTF_8);
    var part = bodyOf(parts.addTextBody("text", TEXT).build()).replace("\u00f6", "<F6>").split("\r\n");
    for (var line : part) {
      if (line.startsWith("Content-Type") || line.startsWith("Sch")) System.out.println("multipart: " + line);
    }
  }
}
JAVA
java -cp "java/usr/share/java/*" Form.java | tee seen.txt
diff seen.txt - <<'SEEN'
default:   application/x-www-form-urlencoded  text=Sch%F6n%2C+%3F%3F%3F%3F%3F%3F+%3F
UTF_8:     text=Sch%C3%B6n%2C+%D0%9F%D1%80%D0%B8%D0%B2%D0%B5%D1%82+%E2%82%AC
multipart: Content-Type: text/plain; charset=ISO-8859-1
multipart: Sch<F6>n, ?????? ?
SEEN
