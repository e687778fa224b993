<?php
// The PHP class that panels publish for their API: curl and forms, configured with only the URL and the key.
class Api
{
    public $api_url;
    public $api_key;

    public function order($data) { return json_decode($this->connect(array_merge(['key' => $this->api_key, 'action' => 'add'], $data))); }
    public function status($order_id) { return json_decode($this->connect(['key' => $this->api_key, 'action' => 'status', 'order' => $order_id])); }
    public function multiStatus($order_ids) { return json_decode($this->connect(['key' => $this->api_key, 'action' => 'status', 'orders' => implode(',', (array) $order_ids)])); }
    public function services() { return json_decode($this->connect(['key' => $this->api_key, 'action' => 'services'])); }
    public function refill($order_id) { return json_decode($this->connect(['key' => $this->api_key, 'action' => 'refill', 'order' => $order_id])); }
    public function refillStatus($refill_id) { return json_decode($this->connect(['key' => $this->api_key, 'action' => 'refill_status', 'refill' => $refill_id])); }
    public function cancel($order_ids) { return json_decode($this->connect(['key' => $this->api_key, 'action' => 'cancel', 'orders' => implode(',', (array) $order_ids)])); }
    public function balance() { return json_decode($this->connect(['key' => $this->api_key, 'action' => 'balance'])); }

    private function connect($post)
    {
        $fields = [];
        foreach ($post as $name => $value) {
            $fields[] = $name . '=' . urlencode($value);
        }
        $ch = curl_init($this->api_url);
        curl_setopt($ch, CURLOPT_RETURNTRANSFER, 1);
        curl_setopt($ch, CURLOPT_POST, 1);
        curl_setopt($ch, CURLOPT_HEADER, 0);
        curl_setopt($ch, CURLOPT_FOLLOWLOCATION, 1);
        curl_setopt($ch, CURLOPT_POSTFIELDS, join('&', $fields));
        curl_setopt($ch, CURLOPT_USERAGENT, 'Mozilla/4.0 (compatible; MSIE 5.01; Windows NT 5.0)');
        $result = curl_exec($ch);
        curl_close($ch);
        return $result;
    }
}

$api = new Api();
$api->api_url = $argv[1];
$api->api_key = $argv[2];
$service = (int) $argv[3];
$first = $api->order(['service' => $service, 'link' => 'https://instagram.com/p/php', 'quantity' => 100, 'runs' => 'undefined']);
$second = $api->order(['service' => $service, 'link' => 'https://instagram.com/p/php2', 'quantity' => 100]);
echo json_encode([
    'services' => count($api->services()),
    'order' => $first->order,
    'status' => $api->status($first->order),
    'statuses' => $api->multiStatus([$first->order, 999999999]),
    'cancel' => $api->cancel([$second->order]),
    'refill' => $api->refill($first->order),
    'refillStatus' => $api->refillStatus(999999999),
    'balance' => $api->balance(),
]);
